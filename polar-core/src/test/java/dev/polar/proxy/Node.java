package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.EngineCatalog;
import dev.polar.inference.HelperModels;
import dev.polar.inference.InferenceClient;
import dev.polar.inference.InferenceControl;
import dev.polar.inference.JsonTree;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import dev.polar.spi.EngineProfile;
import dev.polar.spi.Sampling;
import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;

/** A simulator, a proxy before it behind a real HTTP server, and one session that is open. */
final class Node implements AutoCloseable {
    static final String KEY = "secret-key";

    final SimServer sim;
    final MemoryRecorder recorder = new MemoryRecorder();
    final SessionDirectory directory = new SessionDirectory();
    final AgentSession session;
    final InferenceClient client;
    final InferenceControl control;
    final Proxy proxy;
    final HttpFront front;
    private final HelperModels helpers;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    Node(SimOptions options) throws IOException {
        this(options, Setup.DEFAULT);
    }

    /** What differs from test to test. */
    record Setup(
            Sampling nodeSampling,
            Sampling agentSampling,
            Map<String, Object> modelKwargs,
            StreamTimes times,
            Duration silence,
            boolean openSessions,
            List<NodeConfig.PoolModel> pool,
            NodeConfig.Streaming streaming,
            NodeConfig.Continuation continuation,
            boolean keep) {
        static final Setup DEFAULT = new Setup(
                Sampling.NONE,
                Sampling.NONE,
                Map.of(),
                StreamTimes.DEFAULT,
                InferenceClient.SILENCE,
                false,
                List.of(),
                NodeConfig.Streaming.BUFFERED,
                NodeConfig.Continuation.PLAIN,
                false);

        Setup streaming(NodeConfig.Streaming value) {
            return new Setup(
                    nodeSampling,
                    agentSampling,
                    modelKwargs,
                    times,
                    silence,
                    openSessions,
                    pool,
                    value,
                    continuation,
                    keep);
        }

        Setup times(StreamTimes value) {
            return new Setup(
                    nodeSampling,
                    agentSampling,
                    modelKwargs,
                    value,
                    silence,
                    openSessions,
                    pool,
                    streaming,
                    continuation,
                    keep);
        }

        Setup silence(Duration value) {
            return new Setup(
                    nodeSampling,
                    agentSampling,
                    modelKwargs,
                    times,
                    value,
                    openSessions,
                    pool,
                    streaming,
                    continuation,
                    keep);
        }

        Setup sampling(Sampling ofNode, Sampling ofAgent, Map<String, Object> kwargs) {
            return new Setup(
                    ofNode, ofAgent, kwargs, times, silence, openSessions, pool, streaming, continuation, keep);
        }

        Setup open() {
            return new Setup(
                    nodeSampling,
                    agentSampling,
                    modelKwargs,
                    times,
                    silence,
                    true,
                    pool,
                    streaming,
                    continuation,
                    keep);
        }

        Setup pool(NodeConfig.PoolModel model) {
            return new Setup(
                    nodeSampling,
                    agentSampling,
                    modelKwargs,
                    times,
                    silence,
                    openSessions,
                    List.of(model),
                    streaming,
                    continuation,
                    keep);
        }

        /** Goes on from earlier turns' ids where the engine takes them. */
        Setup exact() {
            return new Setup(
                    nodeSampling,
                    agentSampling,
                    modelKwargs,
                    times,
                    silence,
                    openSessions,
                    pool,
                    streaming,
                    null,
                    keep);
        }

        /** Goes on where the template leaves out the reasoning, too. */
        Setup keeping() {
            return new Setup(
                    nodeSampling,
                    agentSampling,
                    modelKwargs,
                    times,
                    silence,
                    openSessions,
                    pool,
                    streaming,
                    continuation,
                    true);
        }
    }

    Node(SimOptions options, Setup setup) throws IOException {
        this(options, setup, (UnaryOperator<String>) null);
    }

    /** @param engineUrl asked in the simulator's place; null for none */
    Node(SimOptions options, Setup setup, String engineUrl) throws IOException {
        this(options, setup, engineUrl == null ? null : _ -> engineUrl);
    }

    /** @param between makes, of the simulator's URL, the one that is asked; null for none */
    Node(SimOptions options, Setup setup, UnaryOperator<String> between) throws IOException {
        sim = SimServer.start(options);
        var engine = options.engine().name().toLowerCase(java.util.Locale.ROOT);
        var config = config(engine, between == null ? sim.url() : between.apply(sim.url()), options.model(), setup);
        client = new InferenceClient(config.inference(), profile(engine), setup.silence());
        control = new InferenceControl(client);
        helpers = new HelperModels(config.modelPool(), name -> null, setup.silence());
        session = new AgentSession("s1", "t1", false, recorder, setup.agentSampling(), setup.modelKwargs());
        session.open();
        directory.add(KEY, session);
        OpenSessions strangers = key -> {
            var opened = new AgentSession("stranger", "stranger", true, recorder, Sampling.NONE, Map.of());
            opened.open();
            return opened;
        };
        proxy = new Proxy(config, client, helpers, directory, strangers, setup.times());
        front = new HttpFront(proxy);
    }

    static EngineProfile profile(String engine) {
        return EngineCatalog.builtIn().stream()
                .filter(known -> known.name().equals(engine))
                .findFirst()
                .orElseThrow()
                .profile();
    }

    static NodeConfig config(String engine, String url, String model, Setup setup) {
        return new NodeConfig(
                "n1",
                "127.0.0.1",
                0,
                "http://127.0.0.1",
                null,
                model,
                new NodeConfig.Inference(
                        engine,
                        List.of(url),
                        setup.streaming(),
                        setup.continuation(),
                        setup.keep(),
                        setup.nodeSampling(),
                        OptionalInt.empty(),
                        null),
                setup.pool(),
                1,
                1,
                1,
                1,
                null,
                setup.openSessions(),
                1,
                NodeConfig.Snapshots.OFF,
                List.of());
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(front.url() + path))
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + KEY)
                .timeout(Duration.ofSeconds(60));
    }

    HttpResponse<String> send(HttpRequest request) throws IOException {
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException interrupted) {
            throw new IOException(interrupted);
        }
    }

    HttpResponse<String> post(String path, String body) throws IOException {
        return send(
                request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build());
    }

    /** A whole answer, which must be a 200. */
    JsonNode answer(String path, String body) throws IOException {
        var response = post(path, body);
        if (response.statusCode() != 200) {
            throw new AssertionError(response.statusCode() + " " + response.body());
        }
        return JsonTree.read(response.body());
    }

    /** The events of a stream, {@code [DONE]} and comments left out. */
    List<JsonNode> events(String path, String body) throws IOException {
        return events(post(path, body).body());
    }

    static List<JsonNode> events(String stream) throws IOException {
        var events = new ArrayList<JsonNode>();
        for (var line : stream.split("\n")) {
            if (line.startsWith("data: ") && !line.equals("data: [DONE]")) {
                events.add(JsonTree.read(line.substring(6)));
            }
        }
        return events;
    }

    /** What the engine itself answers at {@code path}, without the proxy. */
    JsonNode atEngine(String path, JsonNode body) throws IOException {
        var response = send(HttpRequest.newBuilder(URI.create(sim.url() + path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(JsonTree.write(body)))
                .build());
        return JsonTree.read(response.body());
    }

    /** The last chat request that the engine got. */
    ObjectNode upstream() {
        return (ObjectNode) sim.requests().reversed().stream()
                .filter(request -> request.path().equals("/v1/chat/completions"))
                .findFirst()
                .orElseThrow()
                .body();
    }

    @Override
    public void close() {
        front.close();
        helpers.close();
        client.close();
        sim.close();
    }
}
