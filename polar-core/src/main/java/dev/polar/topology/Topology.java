package dev.polar.topology;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.Check;
import dev.polar.spi.InvalidValueException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The whole file, defaults filled in.
 *
 * @param dataDir absolute; each role and node keeps its state in a locked sub-folder
 * @param defaults fill what a task leaves out; raw JSON with the keys agent, runtime, evaluator, builder, timeout_seconds, or an empty object
 * @param presets the same under a name
 * @param controlTokenScope which routes ask for the control token
 * @param allowOpenControlPlane true where a host beyond loopback is allowed without a token
 */
public record Topology(
        RolloutConfig rollout,
        GatewayConfig gateway,
        Path dataDir,
        PluginsConfig plugins,
        ObjectNode defaults,
        Map<String, ObjectNode> presets,
        ControlTokenScope controlTokenScope,
        boolean allowOpenControlPlane) {
    public Topology {
        presets = Check.map(presets);
    }

    /** @throws InvalidValueException that names the known ids where there is none of that id */
    public NodeConfig node(String id) {
        return gateway.nodes().stream()
                .filter(node -> node.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new InvalidValueException(
                        "gateway.nodes",
                        "no node '" + id + "' (known: "
                                + String.join(
                                        ", ",
                                        gateway.nodes().stream()
                                                .map(NodeConfig::id)
                                                .toList()) + ")"));
    }

    /** Which routes ask for the control token. */
    public enum ControlTokenScope {
        ALL,
        PUBLIC
    }

    /**
     * {@code plugins}.
     *
     * @param dirs absolute folders with plugin jars: those that come with the server, if configuration names them, and the operator's own; one that is missing counts as empty
     * @param enabled ids that are loaded; empty for all
     * @param disabled ids that are not
     * @param config per plugin id
     */
    public record PluginsConfig(
            List<Path> dirs, List<String> enabled, List<String> disabled, Map<String, Map<String, Object>> config) {
        public PluginsConfig {
            dirs = Check.list(dirs);
            enabled = Check.list(enabled);
            disabled = Check.list(disabled);
            config = Check.map(config);
        }

        /** With one folder. */
        public PluginsConfig(
                Path dir, List<String> enabled, List<String> disabled, Map<String, Map<String, Object>> config) {
            this(List.of(dir), enabled, disabled, config);
        }
    }
}
