package dev.polar.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code polar serve_rollout}. */
@Command(name = "serve_rollout", description = "Run the rollout server alone.", mixinStandardHelpOptions = true)
final class ServeRolloutCommand implements Callable<Integer> {
    @Mixin
    private Output output;

    @Mixin
    private ServedTopology topology;

    @Override
    public Integer call() throws InterruptedException {
        return topology.serveRollout(output);
    }
}
