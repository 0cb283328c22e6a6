package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.sim.Policy;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A server with a simulated model behind it that plays another part in each session, and samples every tenth token that it can in two pieces. One of each kind is started for all tests, when the
 * first asks for it: their sessions run side by side. Thread-safe.
 */
final class AgentLab implements AutoCloseable {
    /** What lies between agent and model. */
    enum Kind {
        VLLM_BUFFERED(SimEngine.VLLM, "buffered"),
        VLLM_NATIVE(SimEngine.VLLM, "native"),
        SGLANG_BUFFERED(SimEngine.SGLANG, "buffered");

        private final SimEngine engine;
        private final String streaming;

        Kind(SimEngine engine, String streaming) {
            this.engine = engine;
            this.streaming = streaming;
        }

        String wire() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }
    }

    /** Ends what the tests started, after the last of them. */
    static final class Ends implements BeforeAllCallback {
        @Override
        public void beforeAll(ExtensionContext context) {
            context.getRoot()
                    .getStore(ExtensionContext.Namespace.create(AgentLab.class))
                    .getOrComputeIfAbsent("labs", _ -> (ExtensionContext.Store.CloseableResource) AgentLab::closeAll);
        }
    }

    private static final Map<Kind, FutureTask<AgentLab>> OPEN = new ConcurrentHashMap<>();
    private static final Duration PATIENCE = Duration.ofMinutes(12).plusSeconds(EngineTrouble.patience());
    private static final int AT_ONCE = 4;

    /** Places for those that wait for an engine's silence to end: one of each of the classes that run side by side. */
    private static final int WAITING = 3;

    private final Kind kind;
    private final Map<String, Policy> models = new ConcurrentHashMap<>();
    private final AtomicInteger tasks = new AtomicInteger();
    private final SimServer sim;
    private final PolarProcess server;
    private final RolloutClient rollout;
    private final RolloutClient gateway;
    private final URI gatewayUrl;

    private AgentLab(Kind kind) throws Exception {
        this.kind = kind;
        this.sim = SimServer.start(SimOptions.builder()
                .engine(kind.engine)
                .nonCanonical(0.1)
                .policy(this::decide)
                .build());
        var folder = Path.of(System.getProperty("polar.root"), "polar-cli", "target", "labs", kind.wire());
        delete(folder);
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("topology.yaml"), topology());
        this.server = PolarProcess.start(
                folder, Map.of("POLAR_AGENT_CACHE", agents().toString()), "serve", "-c", "topology.yaml", "--json");
        var ready = server.ready();
        this.rollout = new RolloutClient(ready.path("url").asText());
        this.gatewayUrl = URI.create(ready.path("gateway").asText());
        this.gateway = new RolloutClient(gatewayUrl.toString());
    }

    /** The agents that were installed, by this build or an earlier one. */
    static Path agents() {
        return Path.of(System.getProperty("user.home"), ".cache", "polar", "agents");
    }

    private String topology() {
        return """
                rollout: {port: 0, save_dir: results, dispatch_poll_interval_seconds: 0.2}
                gateway:
                  nodes:
                    - id: lab
                      port: 0
                      model_served: sim
                      inference: {engine: %s, base_url: "%s", streaming: %s}
                      max_init_workers: %d
                      max_run_workers: %d
                      max_postrun_workers: %d
                """.formatted(
                        kind.engine.name().toLowerCase(java.util.Locale.ROOT),
                        sim.url(),
                        kind.streaming,
                        AT_ONCE,
                        AT_ONCE + WAITING,
                        AT_ONCE);
    }

    /** Starts those that are not, side by side. */
    static void startAll() {
        for (var kind : Kind.values()) {
            Thread.ofVirtual().start(starting(kind));
        }
    }

    private static FutureTask<AgentLab> starting(Kind kind) {
        return OPEN.computeIfAbsent(kind, _ -> new FutureTask<>(() -> new AgentLab(kind)));
    }

    /** The lab of a kind, started where it was not. */
    static AgentLab of(Kind kind) throws Exception {
        var lab = starting(kind);
        lab.run();
        return lab.get();
    }

    private static void closeAll() {
        for (var lab : OPEN.values()) {
            if (lab.state() == Future.State.SUCCESS) {
                lab.resultNow().close();
            }
        }
        OPEN.clear();
    }

    private Policy.Decision decide(JsonNode request, RandomGenerator random) {
        return models.getOrDefault(request.path("user").asText(), Policy.plainText())
                .decide(request, random);
    }

    /** Where agents reach the model. */
    URI gateway() {
        return gatewayUrl;
    }

    /** Submits it; its session starts as soon as there is a place. */
    Submitted submit(AgentTask task) throws InterruptedException {
        return submit(task, unchanged -> {});
    }

    /** @param change of what is submitted, where a task of the lab cannot say it */
    Submitted submit(AgentTask task, Consumer<ObjectNode> change) throws InterruptedException {
        var key = task.agent().harness() + "-" + task.name() + "-" + tasks.incrementAndGet();
        models.put(key, task.model());
        var json = task.json(key);
        change.accept(json);
        var answer = rollout.submit(json);
        if (!answer.ok()) {
            throw new AssertionError(key + ": " + answer.detail());
        }
        return new Submitted(key);
    }

    /** A session that was submitted. */
    final class Submitted {
        private final String key;

        private Submitted(String key) {
            this.key = key;
        }

        /** Waits for its end. */
        AgentSession await() throws InterruptedException {
            var until = System.nanoTime() + PATIENCE.toNanos();
            while (System.nanoTime() < until) {
                var task = rollout.task(key);
                if (!task.body().path("status").asText("running").equals("running")) {
                    var result = task.body().path("results").get(0);
                    var id = result.path("session_id").asText();
                    var completions = gateway.get("/sessions/" + RolloutClient.encoded(id) + "/completions");
                    return new AgentSession(key, result, completions.body());
                }
                Thread.sleep(200);
            }
            throw new AssertionError(key + " does not end");
        }
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (var files = Files.walk(folder)) {
                for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    @Override
    public void close() {
        rollout.close();
        gateway.close();
        server.close();
        sim.close();
    }
}
