package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code polar demo}. */
@Command(
        name = "demo",
        description = "See it all work: a simulated model, a server, and the calculator task.",
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
    private static final Duration POLL = Duration.ofMillis(150);
    private static final Duration PER_TOKEN = Duration.ofNanos(1_500_000);

    @Mixin
    private Output output;

    @Option(
            names = "--harness",
            defaultValue = "shell",
            description =
                    "Whose agent: shell (a small script), or claude_code, codex, gemini_cli, opencode, pi, qwen_code"
                            + " (default: ${DEFAULT-VALUE}).")
    private String harness;

    @Option(names = "--samples", defaultValue = "4", description = "Sessions (default: ${DEFAULT-VALUE}).")
    private int samples;

    @Option(names = "--builder", description = "per_request or prefix_merging (default: the task's, prefix_merging).")
    private String builder;

    @Option(
            names = "--engine",
            defaultValue = "vllm",
            description = "Whose dialect the simulator speaks: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private SimEngine engine;

    @Option(
            names = "--non-canonical",
            paramLabel = "P",
            defaultValue = "0",
            description = "Probability that a token which can be cut is sampled in two (default: ${DEFAULT-VALUE}).")
    private double nonCanonical;

    @Option(names = "--dir", paramLabel = "FOLDER", description = "Where its files go (default: a new one in .polar).")
    private Path dir;

    @Option(names = "--keep", description = "Leave server and simulator running, until Ctrl-C.")
    private boolean keep;

    @Override
    public Integer call() throws InterruptedException, IOException {
        if (samples < 1) {
            throw new UserException("--samples: " + samples + " is not at least 1");
        }
        var distribution = Distribution.find();
        var files = DemoFiles.make(distribution, harness, dir);
        var task = TaskFile.read(files.task());
        task.body().put("num_samples", samples);
        if (builder != null) {
            task.body().withObject("/builder").put("strategy", builder);
        }
        try (var sim = simulator(files)) {
            output.progress("simulated model: " + sim.url());
            var plan = plan(files, distribution, sim);
            output.progress("starting the server ...");
            try (var serving = Serving.start(plan, distribution, files.server(), !keep, output)) {
                return run(task, files, plan, sim, serving);
            }
        }
    }

    private SimServer simulator(DemoFiles files) {
        return SimCommand.start(SimCommand.options(files.scenario(), null)
                .port(0)
                .engine(engine)
                .nonCanonical(nonCanonical)
                .perToken(PER_TOKEN));
    }

    private ServerPlan plan(DemoFiles files, Distribution distribution, SimServer sim) {
        var configuration = new Configuration();
        configuration.decide("polar.rollout.port", 0);
        configuration.decide("polar.rollout.save_dir", files.results());
        configuration.decide("polar.data_dir", files.state());
        configuration.decide("polar.gateway.nodes.local.port", 0);
        configuration.decide("polar.gateway.nodes.local.inference.base_url", sim.url());
        configuration.decide(
                "polar.gateway.nodes.local.inference.engine", engine.name().toLowerCase(Locale.ROOT));
        return ServerPlan.of(files.topology(), distribution, true, true, null, configuration, output::warn);
    }

    private int run(TaskFile task, DemoFiles files, ServerPlan plan, SimServer sim, Serving serving)
            throws InterruptedException {
        try (var client = new RolloutClient(plan.rolloutUrl())) {
            output.progress("server: " + serving.ready().get("url") + ", gateway "
                    + serving.ready().get("gateway"));
            SubmitCommand.submit(task, client);
            output.progress("task " + task.id() + ": " + samples + " samples of harness " + harness);
            var done = new TaskWatch(client, output, POLL).await(task.id());
            output.line("");
            ResultTable.print(done, output);
            var problems = problems(done, serving);
            problems.forEach(output::line);
            if (problems.isEmpty()) {
                output.line("each token that trains is proved from the record of its session");
            }
            explain(task, files, serving);
            output.answer(answer(done, problems, files, sim, serving));
            if (keep) {
                output.line("");
                output.line("still running: rollout server " + serving.ready().get("url") + ", gateway "
                        + serving.ready().get("gateway") + ", simulator " + sim.url() + "; Ctrl-C ends them");
                serving.waitFor();
            }
            return ResultTable.allCompleted(done) && problems.isEmpty() ? 0 : 1;
        }
    }

    /** Holds each session's traces against its record. */
    private static List<String> problems(JsonNode done, Serving serving) throws InterruptedException {
        var problems = new ArrayList<String>();
        try (var gateway = new RolloutClient(serving.ready().get("gateway").toString())) {
            for (var result : done.path("results")) {
                var id = result.path("session_id").asText();
                var record = gateway.get("/sessions/" + RolloutClient.encoded(id) + "/completions")
                        .body();
                TraceCheck.problems(result, record, true).forEach(problem -> problems.add(id + ": " + problem));
            }
        }
        return problems;
    }

    private static Map<String, Object> answer(
            JsonNode done, List<String> problems, DemoFiles files, SimServer sim, Serving serving) {
        var answer = new LinkedHashMap<String, Object>(serving.ready());
        answer.put("simulator", sim.url());
        answer.put("folder", files.folder().toString());
        answer.put("task", done);
        answer.put("problems", problems);
        return answer;
    }

    private void explain(TaskFile task, DemoFiles files, Serving serving) {
        output.line("");
        output.line("results, with their traces:  " + files.results().resolve("task_" + task.id()));
        output.line("the task and the topology:   " + files.task() + ", " + files.topology());
        output.line("the server's log:            " + serving.log());
        output.line("");
        output.line("how to go on:");
        output.line("  ./polar demo --keep                      the same, and the server stays up for you to look at");
        output.line(
                "  ./polar demo --harness claude_code       the real Claude Code against the simulated model (needs Node.js)");
        output.line(
                "  ./polar demo --non-canonical 0.1         a model whose tokens are not the tokenizer's own choice");
        output.line("  README.md                                your own model server, agent and trainer");
    }
}
