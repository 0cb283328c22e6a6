package dev.polar.cli;

import dev.polar.plugin.PluginInfo;
import dev.polar.topology.Topology.PluginsConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code polar plugins}. */
@Command(
        name = "plugins",
        description = "List the plugins that a server would load, and why one would not be. Exit status 1: one is not.",
        mixinStandardHelpOptions = true)
final class PluginsCommand implements Callable<Integer> {
    @Mixin
    private Output output;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The topology, for its own plugin folder and their configuration.")
    private Path topology;

    @Override
    public Integer call() {
        var plugins = list(config(Distribution.find()));
        output.answer(Map.of("plugins", plugins));
        plugins.forEach(this::show);
        return plugins.stream().anyMatch(plugin -> plugin.state() == PluginInfo.State.FAILED) ? 1 : 0;
    }

    private PluginsConfig config(Distribution distribution) {
        if (topology == null) {
            return new PluginsConfig(distribution.plugins(), List.of(), List.of(), Map.of());
        }
        var configuration = new Configuration();
        configuration.decide("polar.plugins.bundled", distribution.plugins());
        return configuration.load(topology, output::warn).plugins();
    }

    /** What a registry makes of the folders. */
    static List<PluginInfo> list(PluginsConfig config) {
        return Plugins.ask(
                config,
                registry -> registry.plugins().stream()
                        .filter(plugin -> !plugin.id().equals(PluginInfo.BUILT_IN))
                        .toList());
    }

    private void show(PluginInfo plugin) {
        var state = switch (plugin.state()) {
            case LOADED -> output.good("loaded");
            case FAILED -> output.bad("failed");
            case DISABLED -> output.dim("disabled");
        };
        var names = plugin.names().entrySet().stream()
                .map(entry -> entry.getKey().toString().toLowerCase(java.util.Locale.ROOT) + " "
                        + String.join(", ", entry.getValue()))
                .collect(Collectors.joining("; "));
        output.line(plugin.id() + "  " + (plugin.version() == null ? "-" : plugin.version()) + "  " + state
                + (names.isEmpty() ? "" : "  " + names)
                + (plugin.reason() == null ? "" : "  " + plugin.reason()));
    }
}
