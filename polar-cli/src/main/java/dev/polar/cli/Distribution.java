package dev.polar.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * The folder that the build makes: the WAR, the server's configuration, the plugins, the libraries of this command.
 *
 * @param folder absolute
 */
record Distribution(Path folder) {
    private static final Properties BUILD = build();

    /** @throws UserException where this command does not run out of a distribution */
    static Distribution find() {
        var named = System.getenv("POLAR_HOME");
        var folder = named == null ? ownJar().getParent().resolveSibling("") : Path.of(named);
        var distribution = new Distribution(folder.toAbsolutePath().normalize());
        if (!Files.isRegularFile(distribution.war())) {
            throw new UserException("there is no Polar distribution in " + distribution.folder()
                    + " (polar.war is missing): build it with ./polar, or set POLAR_HOME to its folder");
        }
        return distribution;
    }

    Path war() {
        return folder.resolve("polar.war");
    }

    Path serverXml() {
        return folder.resolve("server.xml");
    }

    Path plugins() {
        return folder.resolve("plugins");
    }

    /** A folder of the examples. */
    Path example(String name) {
        return folder.resolve("examples").resolve(name);
    }

    static String version() {
        return BUILD.getProperty("version");
    }

    /**
     * The unpacked application server.
     *
     * @throws UserException where it is missing
     */
    static Path liberty() {
        var named = System.getenv("POLAR_LIBERTY_HOME");
        var home = named != null
                ? Path.of(named)
                : Path.of(
                        System.getProperty("user.home"),
                        ".cache",
                        "polar",
                        "openliberty-" + BUILD.getProperty("liberty.version"),
                        "wlp");
        if (!Files.isRegularFile(home.resolve("bin/server"))) {
            throw new UserException("there is no Open Liberty in " + home
                    + ": build with ./polar, which unpacks it there, or set POLAR_LIBERTY_HOME");
        }
        return home;
    }

    private static Path ownJar() {
        try {
            return Path.of(Distribution.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException("a class is nowhere", impossible);
        }
    }

    private static Properties build() {
        var properties = new Properties();
        try (var stream = Distribution.class.getResourceAsStream("build.properties")) {
            properties.load(stream);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return properties;
    }
}
