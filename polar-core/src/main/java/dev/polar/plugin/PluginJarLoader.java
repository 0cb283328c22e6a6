package dev.polar.plugin;

import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;

/**
 * A plugin's class loader: the JDK, what plugin and server must agree on, and the plugin's own jar. Classes of the server are not found, so a plugin may bring any library in any version.
 */
final class PluginJarLoader extends URLClassLoader {
    /** Packages whose classes are the server's: both sides pass their instances to each other. */
    private static final List<String> SHARED =
            List.of("dev.polar.spi.", "org.pf4j.", "org.slf4j.", "com.fasterxml.jackson.annotation.");

    static {
        registerAsParallelCapable();
    }

    private final ClassLoader server;

    PluginJarLoader(Path jar, ClassLoader server) {
        super(jar.getFileName().toString(), new URL[] {url(jar)}, ClassLoader.getPlatformClassLoader());
        this.server = server;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        return SHARED.stream().anyMatch(name::startsWith) ? server.loadClass(name) : super.loadClass(name, resolve);
    }

    private static URL url(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException impossible) {
            throw new IllegalArgumentException(jar.toString(), impossible);
        }
    }
}
