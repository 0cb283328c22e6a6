package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.InferenceClient;
import dev.polar.spi.EngineProfile;
import dev.polar.spi.Sampling;
import dev.polar.topology.NodeConfig;
import dev.polar.wire.Json;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Makes engine requests out of decoded calls. Who wins: what capture needs, then the task's {@code agent.sampling}, its model arguments, the node's {@code inference.sampling}, the agent's own
 * values. Thread-safe.
 */
final class EngineRequests {
    private static final List<String> SAMPLING_KEYS =
            List.of("temperature", "top_p", "top_k", "min_p", "max_tokens", "seed");

    private static final Set<String> GRAMMARS = Set.of(
            "response_format",
            "structured_outputs",
            "guided_json",
            "guided_regex",
            "guided_choice",
            "guided_grammar",
            "regex",
            "ebnf",
            "json_schema");

    private final InferenceClient client;
    private final EngineProfile profile;
    private final String modelServed;
    private final Sampling nodeSampling;
    private final String logprobs;
    private final ObjectNode added;
    private final ObjectNode addedStreaming;

    EngineRequests(NodeConfig node, InferenceClient client) {
        this.client = client;
        this.profile = client.profile();
        this.modelServed = node.modelServed() == null ? "" : node.modelServed();
        this.nodeSampling = node.inference().sampling() == null
                ? Sampling.NONE
                : node.inference().sampling();
        var configured = node.inference().logprobs();
        this.logprobs =
                (configured == null ? profile.logprobs() : configured).name().toLowerCase(Locale.ROOT);
        this.added = Json.MAPPER.valueToTree(profile.add());
        this.addedStreaming = Json.MAPPER.valueToTree(profile.addStreaming());
    }

    /** The name that the engine knows, or the empty string for its own default. */
    String engineModel(String requested) {
        return modelServed.isEmpty() ? requested : modelServed;
    }

    /** The one model that the node serves, or null where agents choose. */
    String servedModel() {
        return modelServed.isEmpty() ? null : modelServed;
    }

    /** The request for the policy's engine; {@code call}'s own is used up. */
    EngineRequest prepare(ChatCall call, AgentSession session) {
        var request = forHelper(call, engineModel(call.model()), session);
        session.modelKwargs().forEach((key, value) -> request.set(key, Json.MAPPER.valueToTree(value)));
        sample(request, session.sampling().orElse(samplingWithin(session.modelKwargs())));
        limit(call, request, session);
        reasoningKey(request);
        profile.drop().forEach(request::remove);
        added.properties().forEach(member -> request.set(member.getKey(), member.getValue()));
        if (call.wishes().topLogprobs() > 0) {
            request.put("top_logprobs", call.wishes().topLogprobs());
        }
        return new EngineRequest(request, sampling(request), guided(request));
    }

    /** Makes a request one for a streamed answer. */
    void stream(EngineRequest request) {
        request.body().put("stream", true);
        profile.dropStreaming().forEach(request.body()::remove);
        addedStreaming.properties().forEach(member -> request.body().set(member.getKey(), member.getValue()));
    }

    /** The request for a helper model: the agent's own, and nothing that capture would need. */
    ObjectNode forHelper(ChatCall call, String model, AgentSession session) {
        var request = call.request();
        if (!model.isEmpty()) {
            request.put("model", model);
        }
        ownToolTexts(call.messages(), session.toolTexts());
        if (request.path("tools") instanceof ArrayNode tools) {
            session.toolSchemas().settle(tools);
        }
        withoutTools(request, call.dropped());
        return request;
    }

    /** What the node says, where the task's model arguments do not. */
    private Sampling samplingWithin(Map<String, Object> kwargs) {
        return new Sampling(
                kwargs.containsKey("temperature") ? null : nodeSampling.temperature(),
                kwargs.containsKey("top_p") ? null : nodeSampling.topP(),
                kwargs.containsKey("top_k") ? null : nodeSampling.topK(),
                kwargs.containsKey("min_p") ? null : nodeSampling.minP(),
                kwargs.containsKey("max_tokens") ? null : nodeSampling.maxTokens(),
                kwargs.containsKey("seed") ? null : nodeSampling.seed());
    }

    private static void sample(ObjectNode request, Sampling sampling) {
        put(request, "temperature", sampling.temperature());
        put(request, "top_p", sampling.topP());
        put(request, "top_k", sampling.topK());
        put(request, "min_p", sampling.minP());
        put(request, "max_tokens", sampling.maxTokens());
        put(request, "seed", sampling.seed());
    }

    private static void put(ObjectNode request, String key, Number value) {
        if (value != null) {
            request.set(key, Json.MAPPER.valueToTree(value));
        }
    }

    /** A limit that leaves the session's longest prompt no room is not sent: the engine's own end of the window is nearer. */
    private void limit(ChatCall call, ObjectNode request, AgentSession session) {
        var limit = request.path("max_tokens");
        if (!limit.isIntegralNumber()) {
            return;
        }
        var window = client.window(session.sessionId(), request.path("model").asText(""));
        if (window.isPresent()
                && limit.longValue() > window.getAsInt() - session.recorder().longestPrompt()) {
            request.remove("max_tokens");
            call.dropped().add("limit_over_window");
        }
    }

    private static void ownToolTexts(ArrayNode messages, ToolTexts texts) {
        for (var message : messages) {
            for (var call : message.path("tool_calls")) {
                if (call.path("function") instanceof ObjectNode function) {
                    var arguments = function.path("arguments").asText("");
                    var own = texts.own(
                            call.path("id").textValue(), function.path("name").asText(""), arguments);
                    if (own != arguments) {
                        function.put("arguments", own);
                    }
                }
            }
        }
    }

    /** An empty list of tools, and what makes sense only with tools. */
    private static void withoutTools(ObjectNode request, List<String> dropped) {
        if (!request.path("tools").isEmpty()) {
            return;
        }
        for (var key : List.of("tools", "tool_choice", "parallel_tool_calls")) {
            if (request.remove(key) != null) {
                dropped.add(key.equals("tools") ? "empty_tools" : key + "_without_tools");
            }
        }
    }

    /** The reasoning of earlier turns, under the engine's own key. */
    private void reasoningKey(ObjectNode request) {
        if (profile.reasoningKey().equals("reasoning_content")) {
            return;
        }
        for (JsonNode message : request.get("messages")) {
            var reasoning = message.get("reasoning_content");
            if (reasoning != null && message instanceof ObjectNode object) {
                object.remove("reasoning_content");
                object.set(profile.reasoningKey(), reasoning);
            }
        }
    }

    private ObjectNode sampling(ObjectNode request) {
        var sampling = JsonNodeFactory.instance.objectNode();
        for (var key : SAMPLING_KEYS) {
            var value = request.get(key);
            if (value != null) {
                sampling.set(key, value);
            }
        }
        return sampling.put("logprobs", logprobs);
    }

    /** Forced tokens have the grammar in their log-probabilities. */
    private static boolean guided(ObjectNode request) {
        var choice = request.path("tool_choice");
        if (choice.isObject() || "required".equals(choice.textValue())) {
            return true;
        }
        for (var key : GRAMMARS) {
            if (request.has(key)
                    && !"text".equals(request.path(key).path("type").textValue())) {
                return true;
            }
        }
        for (var tool : request.path("tools")) {
            if (tool.path("function").path("strict").asBoolean(false) && !"none".equals(choice.textValue())) {
                return true;
            }
        }
        return false;
    }
}
