package dev.polar.cli;

import dev.polar.inference.EngineCatalog;
import dev.polar.plugin.PluginRegistry;
import dev.polar.topology.Topology.PluginsConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.function.Function;

/** Plugins as this command sees them, without a server: their folders are read, a question is asked, and all is let go. */
final class Plugins {
    private Plugins() {}

    /**
     * What is found in the folders of a configuration.
     *
     * @param question must not hand out what it gets: its classes are gone afterwards
     * @throws dev.polar.spi.ExtensionException where the question asks for a name that nobody claims
     */
    static <T> T ask(PluginsConfig config, Function<PluginRegistry, T> question) {
        try {
            var copies = Files.createTempDirectory("polar-plugins-");
            try (var registry = new PluginRegistry(config, copies, EngineCatalog.builtIn())) {
                registry.scan();
                return question.apply(registry);
            } finally {
                Folders.delete(copies);
            }
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }
}
