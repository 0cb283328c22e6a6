package dev.polar.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import dev.polar.capture.CompletionEntry;
import dev.polar.capture.Detokenizer;
import dev.polar.capture.RecordStore;
import dev.polar.evaluation.SessionCompletedEvaluator;
import dev.polar.plugin.PluginRegistry;
import dev.polar.proxy.SessionDirectory;
import dev.polar.spi.AgentSpec;
import dev.polar.spi.ApiType;
import dev.polar.spi.BuilderSpec;
import dev.polar.spi.CallFacts;
import dev.polar.spi.EvaluatorSpec;
import dev.polar.spi.PrepareAction;
import dev.polar.spi.RuntimeSpec;
import dev.polar.spi.Sampling;
import dev.polar.spi.SessionDispatch;
import dev.polar.spi.SessionStatus;
import dev.polar.topology.GatewayConfig.Persistence;
import dev.polar.topology.NodeConfig;
import dev.polar.topology.Topology.PluginsConfig;
import dev.polar.trajectory.PerRequestBuilder;
import dev.polar.trajectory.PrefixMergingBuilder;
import dev.polar.wire.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

/**
 * A node with real records, builders, spool and HTTP, and doubles for what runs an agent. The rollout server is a receiver of results on a free port. Closing it ends all, and keeps what it recorded.
 */
final class TestNode implements AutoCloseable {
    final Steps steps = new Steps();
    final DoubleRuntimes runtimes = new DoubleRuntimes(steps);
    final DoubleHarness harness = new DoubleHarness(steps);
    final DoubleEvaluator evaluator = new DoubleEvaluator(steps);
    final Map<String, JsonNode> received = new ConcurrentHashMap<>();
    /** Each result that came, also what came before. */
    final List<String> deliveries = Collections.synchronizedList(new ArrayList<>());

    final List<String> changes = Collections.synchronizedList(new ArrayList<>());
    final SessionDirectory directory = new SessionDirectory();
    final Stages stages;
    final GatewayNode node;
    final NodeFolder folder;
    volatile boolean acknowledging = true;
    private final HttpServer rollout;
    private final RolloutLink link;
    private final RecordStore records;
    private final PluginRegistry plugins;

    TestNode(Path root) throws IOException {
        this(root, new Stages(2, 2, 2, 2), List.of());
    }

    TestNode(Path root, Stages stages, List<Path> roots) throws IOException {
        this.stages = stages;
        rollout = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        rollout.createContext("/callbacks/session_result", exchange -> {
            var body = Json.MAPPER.readTree(exchange.getRequestBody().readAllBytes());
            var answer = "{\"status\": \"accepted\"}".getBytes();
            deliveries.add(body.path("session_id").asText());
            if (acknowledging) {
                received.put(body.path("session_id").asText(), body);
            }
            exchange.sendResponseHeaders(acknowledging ? 200 : 503, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        rollout.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        rollout.start();
        folder = NodeFolder.open(root);
        link = new RolloutLink("http://127.0.0.1:" + rollout.getAddress().getPort(), null);
        records = new RecordStore(folder.records(), Persistence.DEFAULT);
        plugins = new PluginRegistry(
                new PluginsConfig(root.resolve("no-plugins"), null, null, null),
                root.resolve("plugin-copies"),
                List.of(
                        runtimes,
                        harness,
                        evaluator,
                        new SessionCompletedEvaluator(),
                        new PerRequestBuilder(),
                        new PrefixMergingBuilder()));
        var parts = new NodeParts(
                config(roots),
                folder,
                plugins,
                records,
                directory,
                stages,
                URI.create("http://127.0.0.1:8081"),
                Detokenizer.NONE,
                OptionalInt.of(9),
                () -> Map.of("mode", "plain", "keep", false));
        var spool = new ResultSpool(folder);
        node = new GatewayNode(
                parts,
                spool,
                new ResultSender(link, spool, Duration.ofMillis(20), Duration.ofMillis(50)),
                (session, from, to) -> changes.add(session.id() + " " + to));
        node.recover();
        runtimes.on("agent", this::converse);
    }

    private static NodeConfig config(List<Path> roots) {
        return new NodeConfig(
                "n1",
                "127.0.0.1",
                8081,
                "http://127.0.0.1:8081",
                null,
                "served",
                new NodeConfig.Inference(
                        "vllm",
                        List.of("http://127.0.0.1:1"),
                        NodeConfig.Streaming.BUFFERED,
                        null,
                        false,
                        Sampling.NONE,
                        OptionalInt.empty(),
                        null),
                List.of(),
                2,
                2,
                2,
                2,
                null,
                false,
                64,
                NodeConfig.Snapshots.OFF,
                roots);
    }

    /** What the agent does unless a test says otherwise: two turns, the second a continuation of the first. */
    private dev.polar.spi.ExecResult converse(Map<String, String> env) {
        call(env, new int[] {1, 2}, new int[] {3, 9}, true);
        call(env, new int[] {1, 2, 3, 9, 4}, new int[] {5, 9}, true);
        return DoubleRuntimes.exit(0);
    }

    /** A model call of the agent with this environment, as the proxy would record it. */
    void call(Map<String, String> env, int[] prompt, int[] sampled, boolean delivered) {
        call(env, prompt, sampled, delivered, "{}");
    }

    /** @param metadata what the proxy knows of the call, as JSON */
    void call(Map<String, String> env, int[] prompt, int[] sampled, boolean delivered, String metadata) {
        var session = directory.byKey(env.get("OPENAI_API_KEY")).orElseThrow();
        try (var call = session.begin(() -> {})) {
            record(session.recorder(), prompt, sampled, delivered, object(metadata));
        }
    }

    static void record(dev.polar.capture.SessionRecorder recorder, int[] prompt, int[] sampled, boolean delivered) {
        record(recorder, prompt, sampled, delivered, Json.MAPPER.createObjectNode());
    }

    private static void record(
            dev.polar.capture.SessionRecorder recorder,
            int[] prompt,
            int[] sampled,
            boolean delivered,
            ObjectNode metadata) {
        long sequence = recorder.nextSequence();
        var id = "c" + sequence;
        var logprobs = new double[sampled.length];
        java.util.Arrays.fill(logprobs, -0.5);
        recorder.record(new CompletionEntry(
                id,
                new CallFacts(
                        id,
                        sequence,
                        ApiType.OPENAI_CHAT,
                        Map.of(),
                        "",
                        "hi",
                        List.of(),
                        1,
                        OptionalInt.empty(),
                        false),
                1000 + sequence,
                object("{\"model\": \"served\", \"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]}"),
                object("{\"model\": \"asked\", \"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]}"),
                object(
                        "{\"id\": \"x\", \"model\": \"served\", \"message\": {\"role\": \"assistant\", \"content\": \"yes\"}}"),
                0,
                prompt,
                sampled,
                logprobs,
                null,
                "stop",
                null,
                List.of(),
                List.of(),
                metadata));
        if (delivered) {
            recorder.delivered(id);
        }
    }

    private static ObjectNode object(String json) {
        try {
            return (ObjectNode) Json.MAPPER.readTree(json);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** A dispatch that a test changes. */
    Task task(String sessionId) {
        return new Task(sessionId);
    }

    /** Waits for a session's end, and for its result at the rollout server. */
    JsonNode result(String sessionId) {
        org.awaitility.Awaitility.await().until(() -> received.containsKey(sessionId));
        return received.get(sessionId);
    }

    /** Dispatches and waits. */
    JsonNode run(Task task) {
        node.dispatch(task.dispatch());
        return result(task.id);
    }

    void awaitStatus(String sessionId, SessionStatus status) {
        org.awaitility.Awaitility.await().until(() -> node.known(sessionId).status() == status);
    }

    @Override
    public void close() {
        node.stop(Duration.ofSeconds(20), Duration.ofSeconds(1));
        records.close();
        plugins.close();
        link.close();
        rollout.stop(0);
        KeptNodes.keep(folder);
    }

    /** Makes dispatches. */
    static final class Task {
        final String id;
        double timeout = 30;
        int priority;
        RuntimeSpec runtime = runtime(List.of(), null, null);
        AgentSpec agent = agent(Map.of());
        BuilderSpec builder = new BuilderSpec("prefix_merging", null);
        EvaluatorSpec evaluator = new EvaluatorSpec("double", null, null, null);
        Map<String, Object> metadata = Map.of("group_id", "g");

        Task(String id) {
            this.id = id;
        }

        static RuntimeSpec runtime(List<PrepareAction> prepare, Map<String, String> env, Integer memoryMb) {
            return new RuntimeSpec(
                    "double", "none", prepare, null, env, null, null, null, null, memoryMb, null, null, null, null,
                    null, null);
        }

        static AgentSpec agent(Map<String, Object> settings) {
            return new AgentSpec(
                    "double",
                    null,
                    "asked",
                    settings,
                    Map.of("FROM", "agent", "BOTH", "agent"),
                    null,
                    null,
                    null,
                    null);
        }

        Task timeout(double seconds) {
            timeout = seconds;
            return this;
        }

        Task priority(int value) {
            priority = value;
            return this;
        }

        Task runtime(RuntimeSpec spec) {
            runtime = spec;
            return this;
        }

        Task prepare(PrepareAction... actions) {
            return runtime(runtime(List.of(actions), null, null));
        }

        Task agentSpec(AgentSpec spec) {
            agent = spec;
            return this;
        }

        Task builder(BuilderSpec spec) {
            builder = spec;
            return this;
        }

        Task evaluator(EvaluatorSpec spec) {
            evaluator = spec;
            return this;
        }

        Task metadata(Map<String, Object> map) {
            metadata = map;
            return this;
        }

        SessionDispatch dispatch() {
            return new SessionDispatch(
                    id,
                    "t1",
                    "do it",
                    priority,
                    timeout,
                    0,
                    1,
                    1700000000.25,
                    runtime,
                    agent,
                    builder,
                    evaluator,
                    null,
                    metadata);
        }
    }
}
