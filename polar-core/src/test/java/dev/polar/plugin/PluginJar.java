package dev.polar.plugin;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Builds a plugin jar as a team would: compiled against the SPI, with PF4J's annotation processor, a manifest that names it. */
final class PluginJar {
    private final Manifest manifest = new Manifest();
    private final Map<String, String> sources = new LinkedHashMap<>();

    private PluginJar() {
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    }

    static PluginJar of(String id, String version) {
        return nameless().with("Plugin-Id", id).with("Plugin-Version", version);
    }

    static PluginJar nameless() {
        return new PluginJar();
    }

    /** A harness of class {@code team.A} that claims {@code name} and says {@code value} where it is asked. */
    static PluginJar harness(String id, String version, String name, String value) {
        return of(id, version).source("team.A", harnessSource("A", name, "\"" + value + "\"", ""));
    }

    /** {@code value} is an expression, {@code members} are further members. */
    static String harnessSource(String type, String name, String value, String members) {
        return """
                package team;
                import dev.polar.spi.*;
                import java.util.*;
                @org.pf4j.Extension
                public class %s implements Harness<NoConfig> {
                    public Set<String> names() { return Set.of("%s"); }
                    public Class<NoConfig> settingsType() { return NoConfig.class; }
                    public Optional<ApiType> api() { return Optional.empty(); }
                    public List<ExecRequest> commands(HarnessContext<NoConfig> context) {
                        return List.of(ExecRequest.of("say", String.valueOf(%s)));
                    }
                    %s
                }
                """.formatted(type, name, value, members);
    }

    PluginJar with(String attribute, String value) {
        manifest.getMainAttributes().putValue(attribute, value);
        return this;
    }

    PluginJar source(String type, String text) {
        sources.put(type, text);
        return this;
    }

    /** Writes it as {@code folder/file}, in place at once as a rename does it. */
    Path write(Path folder, String file) throws IOException {
        var classes = Files.createTempDirectory("plugin-classes");
        compile(classes);
        Files.createDirectories(folder);
        var jar = Files.createTempFile("plugin", ".jar.new");
        try (var out = new JarOutputStream(Files.newOutputStream(jar), manifest);
                var files = Files.walk(classes)) {
            for (var each : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new ZipEntry(classes.relativize(each).toString()));
                Files.copy(each, out);
            }
        }
        try (var files = Files.walk(classes)) {
            for (var each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
        return Files.move(jar, folder.resolve(file), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    private void compile(Path classes) throws IOException {
        if (sources.isEmpty()) {
            return;
        }
        var units = new ArrayList<JavaFileObject>();
        sources.forEach((type, text) -> units.add(new Source(type, text)));
        var options = List.of(
                "-classpath",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "-processor",
                "org.pf4j.processor.ExtensionAnnotationProcessor",
                "-d",
                classes.toString());
        var compiler = ToolProvider.getSystemJavaCompiler();
        var messages = new java.io.StringWriter();
        if (!compiler.getTask(messages, null, null, options, null, units).call()) {
            throw new IOException(messages.toString());
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String type, String text) {
            super(URI.create("string:///" + type.replace('.', '/') + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
