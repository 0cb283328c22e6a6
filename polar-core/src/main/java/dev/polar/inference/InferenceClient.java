package dev.polar.inference;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.EngineProfile;
import dev.polar.topology.NodeConfig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** A node's engine, with all its copies. Blocking, for virtual threads. Thread-safe. */
public final class InferenceClient implements AutoCloseable {
    /** A whole answer may take as long as its generation and a pause of the engine; no agent waits longer than its session's budget. */
    public static final Duration SILENCE = Duration.ofMinutes(60);

    private static final Duration BACK_OFF = Duration.ofMillis(250);

    private final String engine;
    private final String baseUrl;
    private final EngineProfile profile;
    private final EngineLink link;
    private final PauseGate gate = new PauseGate();
    private final PolicyVersions versions = new PolicyVersions();
    private final IdInputs ids;
    private final Generations generations;
    private final Map<String, Integer> windows = new ConcurrentHashMap<>();

    /**
     * @param profile of the engine that {@code config} names
     * @param silence how long it may send nothing, {@link #SILENCE} unless configured
     */
    public InferenceClient(NodeConfig.Inference config, EngineProfile profile, Duration silence) {
        this.engine = config.engine();
        this.baseUrl = config.baseUrls().getFirst();
        this.profile = profile;
        this.link = new EngineLink(config, profile, silence);
        this.ids = new IdInputs(link, gate);
        this.generations = new Generations(link, ids, gate, versions);
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
        return link.replicas().all().stream()
                .map(url -> new Replica(url, !link.replicas().isDown(url)))
                .toList();
    }

    /** One whole answer to a request's messages; else as {@link #generate(String, ObjectNode, int[], boolean, Cancellation)}. */
    public Ended generate(String sessionId, ObjectNode request, boolean show, Cancellation cancellation) {
        return generate(sessionId, request, null, show, cancellation);
    }

    /**
     * One whole answer: waits while generation is paused, then asks.
     *
     * @param request a chat request, complete; {@code max_tokens} is taken out of it where the engine had to be asked without
     * @param prompt ids to answer in place of the messages' own, or null; what became of them stands in {@link Generation#ids}
     * @param show true where the agent wants to see log-probabilities
     * @return the answer, or what there was of it where it has no end
     * @throws EngineException where nothing of it had come
     */
    public Ended generate(String sessionId, ObjectNode request, int[] prompt, boolean show, Cancellation cancellation) {
        return generations.answer(
                new Generations.Question(sessionId, request, prompt, show, cancellation), untold -> {});
    }

    /**
     * One answer, told while it is sampled. Where the engine gives a whole one nevertheless, nothing of it is told before.
     *
     * @param request as for {@link #generate}, with what makes it a streamed one
     * @param prompt as for {@link #generate}
     * @param sink takes what has come; called on this thread
     * @return the whole answer, or what there was of it when it broke off
     * @throws EngineException where nothing of it had come
     * @throws IllegalStateException where the engine's streams cannot be proved whole
     */
    public Ended stream(
            String sessionId,
            ObjectNode request,
            int[] prompt,
            boolean show,
            Cancellation cancellation,
            Consumer<Delta> sink) {
        if (!generations.streams()) {
            throw new IllegalStateException("the engine '" + engine + "' declares no streamed answers");
        }
        return generations.answer(new Generations.Question(sessionId, request, prompt, show, cancellation), sink);
    }

    /** Before a generation that the engine cut off is asked again: a moment, or the rest of a pause. */
    public void backOff(Cancellation cancellation) {
        gate.backOff(cancellation, BACK_OFF);
    }

    /**
     * What the session's copy of the engine renders a request to, where that copy takes ids. Proves first that it does, where nobody has.
     *
     * @param request a chat request, complete
     * @throws EngineException of kind ABORTED where the call was cancelled
     */
    public Rendering render(String sessionId, ObjectNode request, Cancellation cancellation) {
        try {
            return link.routed(
                    sessionId,
                    base -> ids.verdict(base) instanceof IdVerdict.Takes
                            ? new Rendering.Ids(ids.render(base, request, cancellation))
                            : new Rendering.NotAsked());
        } catch (EngineException failure) {
            if (failure.kind() == EngineException.Kind.ABORTED) {
                throw failure;
            }
            return new Rendering.Failed(failure.getMessage());
        }
    }

    /** Which copies take ids. Asks those of which it is not known, so it can wait. */
    public List<IdBackend> idBackends() {
        return link.replicas().all().stream()
                .map(url -> new IdBackend(url, ids.verdict(url)))
                .toList();
    }

    /** What the copies can do. Asks each, so it can wait. */
    public EngineReport report() {
        return EngineReport.of(this, link);
    }

    /**
     * What the copies plainly are not, though the configuration says so; at most one of each. Asks each, so it can wait.
     *
     * @param served the model that the node names in all requests; empty where it names none
     */
    public List<Mismatch> mismatches(String served) {
        return new EngineIdentity(link, engine, served).mismatches();
    }

    /** False where it is known of all copies that they take no ids. Asks nobody. */
    public boolean mayTakeIds() {
        return ids.possible(link.replicas().known());
    }

    /** {@code /v1/models} as the engine answers it. */
    public JsonNode models(String sessionId) {
        return link.routed(sessionId, base -> link.json("GET", base, "/v1/models", null));
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
        return link.routed(sessionId, base -> link.json("POST", base, endpoints.tokenizePath(), body));
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
        return link.routed("", base -> link.json("POST", base, path, body))
                .at(textPointer)
                .textValue();
    }

    /** Null when it, or one of its copies, can generate; else why not. */
    public String unhealthy() {
        String problem = "its router names no regular worker that speaks HTTP";
        for (var replica : replicas()) {
            try {
                link.checkHealth(replica.url());
                return null;
            } catch (EngineException failure) {
                problem = failure.getMessage();
            }
        }
        return problem;
    }

    /** Null when the streams of all copies can be proved whole; else why not, with the remedy where there is one. Asks each copy, so it can wait. */
    public String streamsUnproved() {
        return StreamProof.problem(profile, replicas(), (base, path) -> link.json("GET", base, path, null));
    }

    @Override
    public void close() {
        link.close();
    }
}
