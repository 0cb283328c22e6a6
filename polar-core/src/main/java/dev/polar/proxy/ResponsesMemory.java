package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a session's agent may refer to: answers by their id, items by theirs, calls by what it was shown of them. Lives as long as its session. Thread-safe.
 *
 * <p>Equal items are kept once, so that it grows with what was said and not with how often it was sent.
 */
final class ResponsesMemory {
    private final Map<String, MadeCall> calls = new ConcurrentHashMap<>();
    private final Map<String, List<JsonNode>> answers = new ConcurrentHashMap<>();
    private final Map<String, JsonNode> items = new ConcurrentHashMap<>();
    private final Map<JsonNode, JsonNode> pool = new ConcurrentHashMap<>();

    /**
     * A tool call of the policy's.
     *
     * @param answer the answer that it is part of
     * @param shown what the agent got of the arguments
     * @param arguments the model's own text
     */
    record MadeCall(String answer, String shown, String arguments) {}

    void made(String callId, MadeCall call) {
        calls.put(callId, call);
    }

    Optional<MadeCall> call(String callId) {
        return Optional.ofNullable(calls.get(callId));
    }

    /** The arguments that the model wrote for a call that comes back as {@code shown}, or nothing where it was edited or is not known. */
    Optional<String> arguments(String callId, String shown) {
        return call(callId).filter(made -> made.shown.equals(shown)).map(MadeCall::arguments);
    }

    /** True where both calls are of one answer. */
    boolean together(String callId, String other) {
        var made = calls.get(callId);
        var before = calls.get(other);
        return made != null && before != null && made.answer.equals(before.answer);
    }

    /**
     * An answer that later requests may go on from.
     *
     * @param input all items before it; not changed any more
     * @param output its own items; not changed any more
     */
    void answered(String responseId, List<JsonNode> input, List<ObjectNode> output) {
        var context = new ArrayList<JsonNode>(input.size() + output.size());
        for (var item : input) {
            context.add(once(item));
        }
        for (var item : output) {
            context.add(once(item));
            items.put(item.path("id").asText(), item);
        }
        answers.put(responseId, List.copyOf(context));
    }

    private JsonNode once(JsonNode item) {
        var known = pool.putIfAbsent(item, item);
        return known == null ? item : known;
    }

    /** All items up to and with an answer. */
    Optional<List<JsonNode>> context(String responseId) {
        return Optional.ofNullable(answers.get(responseId));
    }

    Optional<JsonNode> item(String id) {
        return id == null ? Optional.empty() : Optional.ofNullable(items.get(id));
    }
}
