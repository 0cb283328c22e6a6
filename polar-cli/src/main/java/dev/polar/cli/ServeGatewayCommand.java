package dev.polar.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code polar serve_gateway}. */
@Command(name = "serve_gateway", description = "Run one gateway node alone.", mixinStandardHelpOptions = true)
final class ServeGatewayCommand implements Callable<Integer> {
    @Mixin
    private Output output;

    @Mixin
    private ServedTopology topology;

    @Mixin
    private ServedNode node;

    @Override
    public Integer call() throws InterruptedException {
        return topology.serveGateway(node, output);
    }
}
