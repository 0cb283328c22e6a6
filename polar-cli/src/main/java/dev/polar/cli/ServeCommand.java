package dev.polar.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code polar serve}. */
@Command(
        name = "serve",
        description = "Run the rollout server and one gateway node in one process.",
        mixinStandardHelpOptions = true)
final class ServeCommand implements Callable<Integer> {
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
        return serve(topology, true, true, nodeId, engineSeconds, output);
    }

    /** Serves until it is stopped by a signal. */
    static int serve(
            Path topology, boolean rollout, boolean gateway, String nodeId, double engineSeconds, Output output)
            throws InterruptedException {
        var distribution = Distribution.find();
        var plan = ServerPlan.of(topology, distribution, rollout, gateway, nodeId, new Configuration(), output::warn);
        if (gateway) {
            Engines.await(plan.node(), engineSeconds, output);
        }
        output.progress("starting " + plan.name() + " ...");
        try (var serving = Serving.start(plan, distribution, null, false, output)) {
            var ready = serving.ready();
            output.answer(ready);
            output.line("ready: " + ready.get("url")
                    + (ready.containsKey("gateway") ? ", gateway " + ready.get("gateway") : "") + " (log: "
                    + serving.log() + "; Ctrl-C ends it)");
            serving.waitFor();
        }
        return 1;
    }
}
