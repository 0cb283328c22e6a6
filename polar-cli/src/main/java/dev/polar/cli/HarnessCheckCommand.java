package dev.polar.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.Runtime;
import dev.polar.topology.Topology.PluginsConfig;
import dev.polar.wire.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code polar harness check}. */
@Command(
        name = "check",
        description = {
            "Run an agent against a simulated model through a task of three turns, and tell what it speaks, whether its"
                    + " calls are one chain, and what breaks it.",
            "Exit status 0: it did the task, its chain held and each token is proved. 1: something of that is not so."
        },
        mixinStandardHelpOptions = true)
final class HarnessCheckCommand implements Callable<Integer> {
    private static final Duration POLL = Duration.ofMillis(150);
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");
    private static final String SHELL = "shell";
    private static final String TASK = "harness-check";

    @Mixin
    private Output output;

    @Parameters(
            paramLabel = "NAME",
            defaultValue = SHELL,
            description =
                    "The harness: claude_code, or another that is installed (default: ${DEFAULT-VALUE}, with --command).")
    private String harness;

    @Option(
            names = "--command",
            paramLabel = "LINE",
            description =
                    "Of your own agent, for harness shell; {{INSTRUCTION}} in it is the task, quoted for the shell.")
    private String command;

    @Option(
            names = "--upload",
            paramLabel = "PATH",
            description =
                    "File or folder that the agent needs; it goes into the session's folder, $SESSION_DIR, under its own name. May be given again.")
    private List<Path> uploads = List.of();

    @Option(
            names = "--settings",
            paramLabel = "JSON",
            defaultValue = "{}",
            description = "agent.settings, such as {\"version\": \"2.1.197\"}.")
    private String settings;

    @Option(names = "--model", defaultValue = "sim", description = "The name that the agent asks for.")
    private String model;

    @Option(
            names = "--engine",
            defaultValue = "vllm",
            description = "Whose dialect the simulator speaks: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private SimEngine engine;

    @Option(
            names = "--streaming",
            defaultValue = "buffered",
            description = "How answers come: buffered or native (default: ${DEFAULT-VALUE}).")
    private String streaming;

    @Option(
            names = "--plugins",
            paramLabel = "FOLDER",
            description = "Your own plugins, besides those that come with Polar.")
    private Path plugins;

    @Option(names = "--timeout", paramLabel = "SECONDS", defaultValue = "300", description = "Of the session.")
    private double timeout;

    @Option(names = "--dir", paramLabel = "FOLDER", description = "Where its files go (default: a new one in .polar).")
    private Path dir;

    @Override
    public Integer call() throws InterruptedException, IOException {
        var task = task();
        if (!List.of("buffered", "native").contains(streaming)) {
            throw new UserException("--streaming: '" + streaming + "' is none of buffered, native");
        }
        var distribution = Distribution.find();
        requireHarness(distribution);
        var folder = (dir != null
                        ? dir
                        : Path.of(".polar", "check-" + LocalDateTime.now().format(STAMP)))
                .toAbsolutePath()
                .normalize();
        Files.createDirectories(folder);
        // Canonical tokens: what breaks the chain then is the agent's doing.
        try (var sim = SimServer.start(
                SimOptions.builder().engine(engine).policy(new CheckModel()).build())) {
            var topology = folder.resolve("topology.yaml");
            Files.writeString(topology, topology(sim));
            output.progress("starting the server ...");
            var plan = plan(topology, distribution);
            try (var serving = Serving.start(plan, distribution, folder.resolve("server"), true, output)) {
                return check(task, serving.ready(), folder);
            }
        }
    }

    /** Before anything is started for it. */
    private void requireHarness(Distribution distribution) {
        var folders = new ArrayList<>(List.of(distribution.plugins()));
        if (plugins != null) {
            folders.add(plugins);
        }
        try {
            Plugins.ask(new PluginsConfig(folders, List.of(), List.of(), Map.of()), registry -> {
                try (var lease = registry.harness(harness)) {
                    return lease.pluginId();
                }
            });
        } catch (ExtensionException refused) {
            throw new UserException(
                    "NAME: " + refused.getMessage()
                            + ": correct it, or give the folder of its plugin with --plugins, or run your own agent with --command",
                    refused);
        }
    }

    private ObjectNode task() {
        if (harness.equals(SHELL) != (command != null)) {
            throw new UserException(
                    "--command goes with harness shell, always and only: give a NAME, or --command 'your-agent {{INSTRUCTION}}'");
        }
        var task = Json.MAPPER.createObjectNode();
        task.put("task_id", TASK).put("instruction", CheckModel.INSTRUCTION).put("timeout_seconds", timeout);
        var prepare = task.putObject("runtime").put("backend", "local").putArray("prepare");
        for (var upload : uploads) {
            prepare.addPOJO(upload(upload));
        }
        var agent = task.putObject("agent").put("harness", harness).put("model_name", model);
        try {
            agent.set("settings", Json.MAPPER.readTree(settings));
        } catch (JsonProcessingException refused) {
            throw new UserException("--settings: '" + settings + "' is no JSON object", refused);
        }
        if (command != null) {
            agent.putObject("custom_shell").put("command", command);
        }
        task.putObject("builder").put("strategy", "prefix_merging");
        return task;
    }

    private static Map<String, String> upload(Path path) {
        var source = path.toAbsolutePath().normalize();
        if (!Files.exists(source)) {
            throw new UserException("--upload: there is no " + source);
        }
        return Map.of(
                "type",
                Files.isDirectory(source) ? "upload_dir" : "upload_file",
                "source",
                source.toString(),
                "target",
                Runtime.SESSION_DIR + "/" + source.getFileName());
    }

    private String topology(SimServer sim) throws JsonProcessingException {
        var node = Map.of(
                "id",
                "check",
                "port",
                0,
                "model_served",
                sim.options().model(),
                "inference",
                Map.of(
                        "engine",
                        engine.name().toLowerCase(Locale.ROOT),
                        "base_url",
                        sim.url(),
                        "streaming",
                        streaming));
        var topology = Json.MAPPER.createObjectNode();
        topology.putObject("rollout").put("port", 0);
        topology.putPOJO("gateway", Map.of("nodes", List.of(node)));
        topology.put("data_dir", "state");
        if (plugins != null) {
            topology.putObject("plugins").put("dir", plugins.toAbsolutePath().toString());
        }
        // JSON is YAML.
        return Json.MAPPER.writeValueAsString(topology);
    }

    private ServerPlan plan(Path topology, Distribution distribution) {
        var plan = ServerPlan.of(topology, distribution, true, true, null, new Configuration(), output::warn);
        // The next check finds the agent that this one installed.
        var cache = Path.of(System.getProperty("user.home"), ".cache", "polar", "agents");
        plan.environment()
                .put("POLAR_AGENT_CACHE", System.getenv().getOrDefault("POLAR_AGENT_CACHE", cache.toString()));
        return plan;
    }

    private int check(ObjectNode task, Map<String, Object> ready, Path folder)
            throws InterruptedException, IOException {
        try (var rollout = new RolloutClient(ready.get("url").toString());
                var gateway = new RolloutClient(ready.get("gateway").toString())) {
            output.progress("harness " + harness + (command == null ? "" : ": " + command));
            var accepted = rollout.submit(task);
            if (!accepted.ok()) {
                throw new UserException(accepted.detail());
            }
            var result = new TaskWatch(rollout, output, POLL)
                    .await(TASK)
                    .path("results")
                    .path(0);
            var id = result.path("session_id").asText();
            var completions = gateway.get("/sessions/" + RolloutClient.encoded(id) + "/completions")
                    .body();
            return report(result, completions, folder);
        }
    }

    private int report(JsonNode result, JsonNode completions, Path folder) throws IOException {
        var report = HarnessReport.of(harness, result, completions);
        Files.writeString(folder.resolve("result.json"), result.toString());
        Files.writeString(folder.resolve("completions.json"), completions.toString());
        output.answer(report.json());
        report.lines().forEach(output::line);
        output.line("");
        output.line("files: " + folder + " (result.json, completions.json; server/logs)");
        return report.good() ? 0 : 1;
    }
}
