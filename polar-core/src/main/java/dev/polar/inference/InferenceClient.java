package dev.polar.inference;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.EngineProfile;
import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.hc.core5.http.ClassicHttpResponse;

/** A node's engine, with all its copies. Blocking, for virtual threads. Thread-safe. */
public final class InferenceClient implements AutoCloseable {
    /** A whole answer may take as long as its generation and a pause of the engine; no agent waits longer than its session's budget. */
    public static final Duration SILENCE = Duration.ofMinutes(60);

    /** A prompt's ids come in one event. */
    private static final long MAX_EVENT = 256L << 20;

    private static final Duration QUICK = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofSeconds(3);
    private static final Duration BACK_OFF = Duration.ofMillis(250);

    private final String engine;
    private final String baseUrl;
    private final EngineProfile profile;
    private final AnswerParser parser;
    private final Optional<AnswerPaths> streamed;
    private final EngineHttp http = new EngineHttp();
    private final Replicas replicas;
    private final PauseGate gate = new PauseGate();
    private final PolicyVersions versions = new PolicyVersions();
    private final Duration silence;
    private final Map<String, Integer> windows = new ConcurrentHashMap<>();

    /**
     * @param profile of the engine that {@code config} names
     * @param silence how long it may send nothing, {@link #SILENCE} unless configured
     */
    public InferenceClient(NodeConfig.Inference config, EngineProfile profile, Duration silence) {
        this.engine = config.engine();
        this.baseUrl = config.baseUrls().getFirst();
        this.profile = profile;
        this.parser = new AnswerParser(profile.whole());
        this.streamed = profile.chunk().map(AnswerPaths::new);
        this.silence = silence;
        this.replicas = new Replicas(config.baseUrls(), this::look, this::healthy).start();
    }

    public String engine() {
        return engine;
    }

    public EngineProfile profile() {
        return profile;
    }

    public PauseGate gate() {
        return gate;
    }

    public PolicyVersions versions() {
        return versions;
    }

    /** The first of the configured base URLs, for status answers. */
    public String baseUrl() {
        return baseUrl;
    }

    /**
     * One copy of the engine.
     *
     * @param url where it is asked
     * @param up false while it is left out
     */
    public record Replica(String url, boolean up) {}

    /** The copies that are asked: the configured ones, or the workers of a router among these. Can wait for an answer the first time. */
    public List<Replica> replicas() {
        return replicas.all().stream()
                .map(url -> new Replica(url, !replicas.isDown(url)))
                .toList();
    }

    /**
     * One whole answer: waits while generation is paused, then asks.
     *
     * @param request a chat request, complete; {@code max_tokens} is taken out of it where the engine had to be asked without
     * @param show true where the agent wants to see log-probabilities
     * @throws EngineException where there is none
     */
    public Generation generate(String sessionId, ObjectNode request, boolean show, Cancellation cancellation) {
        long arrived = System.nanoTime();
        try (var _ = gate.enter(cancellation)) {
            var asked = new Asked(arrived, System.nanoTime(), versions.current(), request.has("max_tokens"));
            var answer = withinWindow(request, () -> askWhole(sessionId, request, show, cancellation));
            return generation(answer, request, asked);
        }
    }

    /** What was in force when a generation started. */
    private record Asked(long arrived, long started, String version, boolean limited) {}

    private Generation generation(EngineAnswer answer, ObjectNode request, Asked asked) {
        return new Generation(
                answer,
                PolicyVersions.atStart(answer.weightVersions(), asked.version),
                PolicyVersions.atEnd(answer.weightVersions(), versions.current()),
                asked.started - asked.arrived,
                System.nanoTime() - asked.started,
                asked.limited && !request.has("max_tokens"));
    }

    private <T> T withinWindow(ObjectNode request, Supplier<T> ask) {
        try {
            return ask.get();
        } catch (EngineException refused) {
            if (refused.kind() != EngineException.Kind.OVERFLOW
                    || !profile.retryWithoutLimit()
                    || request.remove("max_tokens") == null) {
                throw refused;
            }
            return ask.get();
        }
    }

    /**
     * One answer, told while it is sampled. Where the engine gives a whole one nevertheless, nothing of it is told before.
     *
     * @param request as for {@link #generate}, with what makes it a streamed one
     * @param sink takes what has come; called on this thread
     * @return the whole answer, or what there was of it when it broke off
     * @throws EngineException where nothing of it had come
     * @throws IllegalStateException where the engine's streams cannot be proved whole
     */
    public Streamed stream(
            String sessionId, ObjectNode request, boolean show, Cancellation cancellation, Consumer<Delta> sink) {
        var chunks = streamed.orElseThrow(
                () -> new IllegalStateException("the engine '" + engine + "' declares no streamed answers"));
        long arrived = System.nanoTime();
        try (var _ = gate.enter(cancellation)) {
            var asked = new Asked(arrived, System.nanoTime(), versions.current(), request.has("max_tokens"));
            var answer = new StreamedAnswer(chunks, profile.reasoningKey(), show, sink);
            EngineException failure = null;
            EngineAnswer got;
            try {
                got = withinWindow(request, () -> askStream(sessionId, request, show, cancellation, answer));
            } catch (EngineException broken) {
                if (!answer.begun()) {
                    throw broken;
                }
                failure = broken;
                got = answer.soFar();
            }
            return new Streamed(generation(got, request, asked), failure);
        }
    }

    /** An engine that streams nevertheless is heard to the end. */
    private EngineAnswer askWhole(String sessionId, ObjectNode request, boolean show, Cancellation cancellation) {
        return ask(sessionId, request, cancellation, (head, in) -> {
            if (streamed.isEmpty() || !isEventStream(head)) {
                return parser.parse(in, show);
            }
            var answer = new StreamedAnswer(streamed.get(), profile.reasoningKey(), show, _ -> {});
            return answer.end(new EventStream(in, MAX_EVENT).forEach(answer::event));
        });
    }

    private EngineAnswer askStream(
            String sessionId, ObjectNode request, boolean show, Cancellation cancellation, StreamedAnswer answer) {
        return ask(sessionId, request, cancellation, (head, in) -> {
            if (!isEventStream(head)) {
                return parser.parse(in, show);
            }
            return answer.end(new EventStream(in, MAX_EVENT).forEach(answer::event));
        });
    }

    private static boolean isEventStream(ClassicHttpResponse head) {
        var type = head.getFirstHeader("Content-Type");
        return type != null && type.getValue().toLowerCase(Locale.ROOT).startsWith("text/event-stream");
    }

    /** Before a generation that the engine cut off is asked again: a moment, or the rest of a pause. */
    public void backOff(Cancellation cancellation) {
        gate.backOff(cancellation, BACK_OFF);
    }

    /** Reads the body of a 200. */
    private interface BodyReader {
        EngineAnswer read(ClassicHttpResponse head, InputStream in) throws IOException;
    }

    private EngineAnswer ask(String sessionId, ObjectNode request, Cancellation cancellation, BodyReader reader) {
        var body = JsonTree.write(request);
        return routed(
                sessionId,
                base -> http.send(
                        "POST",
                        uri(base, "/v1/chat/completions"),
                        body,
                        null,
                        silence,
                        cancellation,
                        (status, head, in) -> {
                            if (status != 200) {
                                throw EngineErrors.of(
                                        status, in.readAllBytes(), retryAfter(head), profile.overflowMarks());
                            }
                            return reader.read(head, in);
                        }));
    }

    /** The session's copy, and once another one where that takes no connection. */
    private <T> T routed(String sessionId, Function<String, T> call) {
        var base = replicas.of(sessionId);
        try {
            return call.apply(base);
        } catch (EngineException failure) {
            if (failure.kind() != EngineException.Kind.UNREACHABLE || !replicas.failed(base)) {
                throw failure;
            }
            return call.apply(replicas.of(sessionId));
        }
    }

    /** {@code /v1/models} as the engine answers it. */
    public JsonNode models(String sessionId) {
        return routed(sessionId, base -> json("GET", uri(base, "/v1/models"), null));
    }

    /**
     * Tokens that the model's window holds, prompt and answer together; empty where the engine does not say. Asked once.
     *
     * @param model as the engine calls it
     */
    public OptionalInt window(String sessionId, String model) {
        var known = windows.get(model);
        if (known == null) {
            known = askWindow(sessionId, model);
            windows.put(model, known);
        }
        return known > 0 ? OptionalInt.of(known) : OptionalInt.empty();
    }

    private int askWindow(String sessionId, String model) {
        JsonNode list;
        try {
            list = models(sessionId).path("data");
        } catch (EngineException unknown) {
            return 0;
        }
        for (var entry : list) {
            if (entry.path("id").asText().equals(model)) {
                return entry.path("max_model_len").asInt(0);
            }
        }
        return 0;
    }

    /**
     * The engine's own tokenize request, passed on.
     *
     * @throws EngineException 501 where the engine has none
     */
    public JsonNode tokenize(String sessionId, JsonNode request) {
        var endpoints = profile.tokenizer()
                .orElseThrow(() -> EngineException.of(
                        EngineException.Kind.REFUSED, 501, "the engine '" + engine + "' has no tokenizer", null));
        var body = JsonTree.write(request);
        return routed(sessionId, base -> json("POST", uri(base, endpoints.tokenizePath()), body));
    }

    /** Number of ids that a chat request's prompt has. */
    public int countTokens(String sessionId, ObjectNode request) {
        var answer = tokenize(sessionId, request);
        return answer.path("count").isInt()
                ? answer.path("count").intValue()
                : answer.path("tokens").size();
    }

    /** The text of ids, special tokens written out. */
    String detokenize(String path, String model, int[] ids, String textPointer) {
        var request = JsonNodeFactory.instance.objectNode();
        if (model != null) {
            request.put("model", model);
        }
        var tokens = request.putArray("tokens");
        for (int id : ids) {
            tokens.add(id);
        }
        // SGLang leaves special tokens out unless told; vLLM writes them out and does not know the key
        request.put("skip_special_tokens", false);
        var body = JsonTree.write(request);
        return routed("", base -> json("POST", uri(base, path), body))
                .at(textPointer)
                .textValue();
    }

    /** Null when it, or one of its copies, can generate; else why not. */
    public String unhealthy() {
        String problem = "its router names no regular worker that speaks HTTP";
        for (var replica : replicas()) {
            try {
                probe(replica.url());
                return null;
            } catch (EngineException failure) {
                problem = failure.getMessage();
            }
        }
        return problem;
    }

    /** Null when the streams of all copies can be proved whole; else why not, with the remedy where there is one. Asks each copy, so it can wait. */
    public String streamsUnproved() {
        return StreamProof.problem(profile, replicas(), (base, path) -> json("GET", uri(base, path), null));
    }

    /** An engine knows neither path; one that answers them is a router. vLLM is not asked: it is never behind this one. */
    private Address look(String base) {
        if (engine.equals(VllmEngine.NAME)) {
            return new Address.Engine();
        }
        try {
            return list(base, "/workers", Address::ofWorkers)
                    .or(() -> list(base, "/list_workers", Address::ofUrls))
                    .orElseGet(Address.Engine::new);
        } catch (EngineException silent) {
            return new Address.Silent();
        }
    }

    private Optional<Address> list(String base, String path, Function<JsonNode, Optional<Address>> reader) {
        return http.send(
                "GET",
                uri(base, path),
                null,
                null,
                LOOK,
                new Cancellation(),
                (status, head, in) -> status == 200 ? reader.apply(json(in.readAllBytes())) : Optional.empty());
    }

    /** A missing node where it is no JSON. */
    private static JsonNode json(byte[] body) {
        try {
            return JsonTree.readLenient(body);
        } catch (IOException page) {
            return MissingNode.getInstance();
        }
    }

    private boolean healthy(String base) {
        try {
            probe(base);
            return true;
        } catch (EngineException failure) {
            return false;
        }
    }

    private void probe(String base) {
        http.<Void>send(
                "GET", uri(base, profile.healthPath()), null, null, QUICK, new Cancellation(), (status, head, in) -> {
                    if (status >= 300) {
                        throw EngineException.of(
                                EngineException.Kind.FAILED,
                                status,
                                "the inference server at " + base + " answers its health check with " + status,
                                null);
                    }
                    return null;
                });
    }

    private JsonNode json(String method, URI uri, byte[] body) {
        return http.send(method, uri, body, null, QUICK, new Cancellation(), this::readJson);
    }

    private JsonNode readJson(int status, ClassicHttpResponse head, InputStream in) throws IOException {
        var bytes = in.readAllBytes();
        if (status != 200) {
            throw EngineErrors.of(status, bytes, retryAfter(head), profile.overflowMarks());
        }
        return JsonTree.readLenient(bytes);
    }

    static String retryAfter(ClassicHttpResponse head) {
        var header = head.getFirstHeader("Retry-After");
        return header == null ? null : header.getValue();
    }

    static URI uri(String base, String path) {
        return URI.create(base + path);
    }

    @Override
    public void close() {
        replicas.close();
        http.close();
    }
}
