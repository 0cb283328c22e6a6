package dev.polar.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code polar serve_rollout}. */
@Command(name = "serve_rollout", description = "Run the rollout server alone.", mixinStandardHelpOptions = true)
final class ServeRolloutCommand implements Callable<Integer> {
    @Mixin
    private Output output;

    @Option(
            names = {"-c", "--config"},
            required = true,
            paramLabel = "FILE",
            description = "The topology.")
    private Path topology;

    @Override
    public Integer call() throws InterruptedException {
        return ServeCommand.serve(topology, true, false, null, 0, output);
    }
}
