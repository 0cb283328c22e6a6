package dev.polar.cli;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** From a topology to a server that runs until a signal stops it; a picocli mix-in. */
final class ServedTopology {
    @Option(
            names = {"-c", "--config"},
            required = true,
            paramLabel = "FILE",
            description = "The topology.")
    private Path file;

    /** The rollout server alone. */
    int serveRollout(Output output) throws InterruptedException {
        var distribution = Distribution.find();
        return serve(plan(distribution, true, false, null, output), distribution, output);
    }

    /** A gateway node alone. */
    int serveGateway(ServedNode node, Output output) throws InterruptedException {
        return serve(false, node, output);
    }

    /** The rollout server and a gateway node. */
    int serveAll(ServedNode node, Output output) throws InterruptedException {
        return serve(true, node, output);
    }

    private int serve(boolean rollout, ServedNode node, Output output) throws InterruptedException {
        var distribution = Distribution.find();
        var plan = plan(distribution, rollout, true, node.id(), output);
        node.checkEngine(plan.node(), output);
        return serve(plan, distribution, output);
    }

    private ServerPlan plan(Distribution distribution, boolean rollout, boolean gateway, String nodeId, Output output) {
        return ServerPlan.of(file, distribution, rollout, gateway, nodeId, new Configuration(), output::warn);
    }

    /** Ends by a signal to this process alone, or by an exception. */
    private static int serve(ServerPlan plan, Distribution distribution, Output output) throws InterruptedException {
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
