package dev.polar.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code polar serve}. */
@Command(
        name = "serve",
        description = "Run the rollout server and one gateway node in one process.",
        mixinStandardHelpOptions = true)
final class ServeCommand implements Callable<Integer> {
    @Mixin
    private Output output;

    @Mixin
    private ServedTopology topology;

    @Mixin
    private ServedNode node;

    @Override
    public Integer call() throws InterruptedException {
        return topology.serveAll(node, output);
    }
}
