package dev.polar.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code polar serve_gateway}. */
@Command(name = "serve_gateway", description = "Run one gateway node alone.", mixinStandardHelpOptions = true)
final class ServeGatewayCommand implements Callable<Integer> {
    @Mixin
    private Output output;

    @Option(
            names = {"-c", "--config"},
            required = true,
            paramLabel = "FILE",
            description = "The topology.")
    private Path topology;

    @Option(names = "--node-id", paramLabel = "ID", description = "Which node this is, where the topology has several.")
    private String nodeId;

    @Option(
            names = "--wait-for-engine",
            paramLabel = "SECONDS",
            defaultValue = Engines.PATIENCE,
            description = "How long to wait for the inference server (default: ${DEFAULT-VALUE}).")
    private double engineSeconds;

    @Override
    public Integer call() throws InterruptedException {
        return ServeCommand.serve(topology, false, true, nodeId, engineSeconds, output);
    }
}
