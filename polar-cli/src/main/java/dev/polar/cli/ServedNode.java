package dev.polar.cli;

import dev.polar.topology.NodeConfig;
import picocli.CommandLine.Option;

/** Which gateway node a command serves, and its engine before that; a picocli mix-in. */
final class ServedNode {
    @Option(names = "--node-id", paramLabel = "ID", description = "Which node this is, where the topology has several.")
    private String id;

    @Option(
            names = "--wait-for-engine",
            paramLabel = "SECONDS",
            defaultValue = Engines.PATIENCE,
            description = "How long to wait for the inference server (default: ${DEFAULT-VALUE}).")
    private double engineSeconds;

    /** Null where the user did not say. */
    String id() {
        return id;
    }

    /**
     * Waits for the node's engine, and looks whether it is the one that the topology says.
     *
     * @throws UserException where it is not there, or plainly another
     */
    void checkEngine(NodeConfig node, Output output) throws InterruptedException {
        Engines.await(node, engineSeconds, output);
        EngineFindings.refuseMismatch(node);
    }
}
