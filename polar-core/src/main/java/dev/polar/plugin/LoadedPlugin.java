package dev.polar.plugin;

import dev.polar.spi.PluginConfigured;
import dev.polar.wire.Binder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.pf4j.DefaultPluginManager;
import org.pf4j.ExtensionPoint;
import org.pf4j.JarPluginLoader;
import org.pf4j.ManifestPluginDescriptorFinder;
import org.pf4j.PluginDescriptor;
import org.pf4j.PluginDescriptorFinder;
import org.pf4j.PluginLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One loading of one jar. It is unloaded when the registry and the last lease have let go of it. Thread-safe. */
final class LoadedPlugin {
    private static final Logger LOG = LoggerFactory.getLogger(LoadedPlugin.class);

    /** Held, or its level would be forgotten: PF4J tells of each step at INFO, and one line of our own is enough. */
    private static final java.util.logging.Logger LIBRARY_LOG = java.util.logging.Logger.getLogger("org.pf4j");

    static {
        if (LIBRARY_LOG.getLevel() == null) {
            LIBRARY_LOG.setLevel(Level.WARNING);
        }
    }

    /** An extension with the names that it claims, asked once. */
    record Claim(Kind kind, List<String> names, ExtensionPoint extension) {}

    private final String id;
    private final String version;
    private final Path copy;
    private final OneJarManager manager;
    private final List<Claim> claims;
    private final AtomicInteger holders = new AtomicInteger(1);

    private LoadedPlugin(String id, String version, Path copy, OneJarManager manager, List<Claim> claims) {
        this.id = id;
        this.version = version;
        this.copy = copy;
        this.manager = manager;
        this.claims = List.copyOf(claims);
    }

    /** What the manifest says; the jar is not opened beyond that. */
    static PluginDescriptor describe(Path jar) {
        PluginDescriptor descriptor;
        try {
            descriptor = new ManifestPluginDescriptorFinder().find(jar);
        } catch (RuntimeException unreadable) {
            throw new PluginProblem("no readable jar: " + firstLine(unreadable), unreadable);
        }
        if (blank(descriptor.getPluginId())) {
            throw new PluginProblem("its manifest has no Plugin-Id");
        }
        if (blank(descriptor.getVersion()) || "0.0.0".equals(descriptor.getVersion())) {
            throw new PluginProblem("its manifest has no Plugin-Version");
        }
        return descriptor;
    }

    /**
     * Loads a jar that nobody else will touch; it is deleted when the plugin is unloaded, or here where it cannot be loaded.
     *
     * @param config {@code plugins.config.<id>}
     * @throws PluginProblem with the reason
     */
    static LoadedPlugin load(Path copy, PluginDescriptor descriptor, Map<String, Object> config, ClassLoader server) {
        var manager = new OneJarManager(copy.getParent(), server);
        try {
            var id = manager.loadPlugin(copy);
            manager.startPlugin(id);
            var failure = manager.getPlugin(id).getFailedException();
            if (failure != null) {
                throw new PluginProblem("it does not start: " + firstLine(failure), failure);
            }
            var claims = InPlugin.call(manager.getPluginClassLoader(id), () -> claims(manager, id, config));
            return new LoadedPlugin(id, descriptor.getVersion(), copy, manager, claims);
        } catch (PluginProblem problem) {
            discard(manager, copy);
            throw problem;
        } catch (Exception | LinkageError broken) {
            discard(manager, copy);
            throw new PluginProblem(firstLine(broken), broken);
        }
    }

    private static List<Claim> claims(OneJarManager manager, String id, Map<String, Object> config)
            throws ReflectiveOperationException {
        var names = manager.getExtensionClassNames(id);
        if (names.isEmpty()) {
            throw new PluginProblem("it has no extension: META-INF/extensions.idx is missing or empty"
                    + " (annotate the class with @Extension and name PF4J's annotation processor to the compiler)");
        }
        var claims = new ArrayList<Claim>();
        boolean takesConfig = false;
        for (var name : names) {
            var type = manager.getPluginClassLoader(id).loadClass(name);
            if (!(manager.getExtensionFactory().create(type) instanceof ExtensionPoint extension)) {
                throw new PluginProblem(name + " is no extension point of Polar's SPI");
            }
            takesConfig |= configure(extension, id, config);
            var found = claims(extension);
            if (found.isEmpty()) {
                throw new PluginProblem(name + " is none of Harness, RuntimeProvider, Evaluator, TrajectoryBuilder"
                        + " and InferenceEngine");
            }
            claims.addAll(found);
        }
        if (!takesConfig && !config.isEmpty()) {
            throw new PluginProblem("plugins.config." + id + ": this plugin takes no configuration");
        }
        return claims;
    }

    /** The kinds that an extension is of, with the names that it claims under each. */
    static List<Claim> claims(ExtensionPoint extension) {
        var claims = new ArrayList<Claim>();
        for (var kind : Kind.values()) {
            var names = kind.names(extension);
            if (names == null) {
                continue;
            }
            if (names.isEmpty() || names.stream().anyMatch(LoadedPlugin::blank)) {
                throw new PluginProblem(extension.getClass().getName() + " claims no name, or an empty one");
            }
            claims.add(new Claim(kind, names.stream().sorted().toList(), extension));
        }
        return claims;
    }

    private static boolean configure(ExtensionPoint extension, String id, Map<String, Object> config) {
        if (extension instanceof PluginConfigured<?> configured) {
            bind(configured, id, config);
            return true;
        }
        return false;
    }

    private static <C extends Record> void bind(PluginConfigured<C> plugin, String id, Map<String, Object> config) {
        plugin.configure(Binder.bind(config, plugin.pluginConfigType(), "plugins.config." + id));
    }

    String id() {
        return id;
    }

    String version() {
        return version;
    }

    List<Claim> claims() {
        return claims;
    }

    ClassLoader classLoader() {
        return manager.getPluginClassLoader(id);
    }

    /** All names that it claims, by kind, for the listing. */
    static Map<Kind, List<String>> namesByKind(List<Claim> claims) {
        var names = new EnumMap<Kind, List<String>>(Kind.class);
        claims.forEach(claim -> names.merge(claim.kind(), claim.names(), (a, b) -> {
            var both = new ArrayList<>(a);
            both.addAll(b);
            return List.copyOf(both);
        }));
        return names;
    }

    /** Takes hold of it; false where it has been let go of already. */
    boolean hold() {
        while (true) {
            int now = holders.get();
            if (now == 0) {
                return false;
            }
            if (holders.compareAndSet(now, now + 1)) {
                return true;
            }
        }
    }

    /** Lets go of it. */
    void release() {
        if (holders.decrementAndGet() == 0) {
            discard(manager, copy);
        }
    }

    private static void discard(OneJarManager manager, Path copy) {
        try {
            // One by one: PF4J's stopPlugins() trips over its own list.
            List.copyOf(manager.getPlugins()).forEach(plugin -> manager.unloadPlugin(plugin.getPluginId()));
        } catch (RuntimeException | LinkageError broken) {
            LOG.warn("plugin {} did not unload cleanly: {}", copy.getFileName(), firstLine(broken));
        }
        try {
            Files.deleteIfExists(copy);
        } catch (IOException kept) {
            LOG.warn("cannot delete {}: {}", copy, firstLine(kept));
        }
    }

    private static boolean blank(String text) {
        return text == null || text.isBlank();
    }

    /** A problem in one line: its message where it says enough, with its class where it is an error of the class path. */
    static String firstLine(Throwable problem) {
        var text = problem.getMessage() == null
                ? ""
                : problem.getMessage().lines().findFirst().orElse("");
        boolean ours = problem instanceof dev.polar.wire.BindingException;
        return ours && !text.isEmpty()
                ? text
                : problem.getClass().getSimpleName() + (text.isEmpty() ? "" : ": " + text);
    }

    /** PF4J with one jar in it, so that two versions of a plugin can be loaded side by side. */
    private static final class OneJarManager extends DefaultPluginManager {
        private final ClassLoader server;

        OneJarManager(Path folder, ClassLoader server) {
            super(folder);
            this.server = server;
        }

        @Override
        protected PluginLoader createPluginLoader() {
            return new JarPluginLoader(this) {
                @Override
                public ClassLoader loadPlugin(Path jar, PluginDescriptor descriptor) {
                    return new PluginJarLoader(jar, server);
                }
            };
        }

        @Override
        protected PluginDescriptorFinder createPluginDescriptorFinder() {
            return new ManifestPluginDescriptorFinder();
        }
    }
}
