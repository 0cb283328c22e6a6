package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.EngineAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * An engine's answer as the encoders see it.
 *
 * @param answer the engine's
 * @param message the engine's message
 * @param text null where there is none
 * @param reasoning null where there is none
 * @param toolCalls all that the model made
 * @param finishReason the engine's word; null for a part of an answer, which is recorded and never encoded
 */
record Reply(
        EngineAnswer answer,
        JsonNode message,
        String text,
        String reasoning,
        List<ToolCall> toolCalls,
        String finishReason) {
    /**
     * A tool call.
     *
     * @param id the engine's, or one that was made where it gave none
     * @param name empty where the model wrote none
     * @param arguments the model's own text, JSON or not
     */
    record ToolCall(String id, String name, String arguments) {}

    static Reply of(EngineAnswer answer) {
        var message = answer.choice().path("message");
        var reasoning = text(message.path("reasoning_content"));
        return new Reply(
                answer,
                message,
                text(message.path("content")),
                reasoning == null ? text(message.path("reasoning")) : reasoning,
                toolCalls(message.path("tool_calls")),
                answer.finishReason());
    }

    private static String text(JsonNode node) {
        return node.textValue();
    }

    private static List<ToolCall> toolCalls(JsonNode calls) {
        if (calls.isEmpty()) {
            return List.of();
        }
        var list = new ArrayList<ToolCall>();
        for (var call : calls) {
            var function = call.path("function");
            var id = call.path("id").asText("");
            var arguments = function.path("arguments");
            list.add(new ToolCall(
                    id.isEmpty() ? "call_" + randomHex() : id,
                    function.path("name").asText(""),
                    arguments.isTextual()
                            ? arguments.textValue()
                            : arguments.isMissingNode() || arguments.isNull() ? "" : arguments.toString()));
        }
        return List.copyOf(list);
    }

    /** 24 hexadecimal digits; not a secret. */
    static String randomHex() {
        var random = ThreadLocalRandom.current();
        return "%016x%08x".formatted(random.nextLong(), random.nextInt());
    }

    /** The tool calls that the agent gets. */
    List<ToolCall> toolCallsFor(ChatCall call) {
        return call.wishes().oneToolCall() && toolCalls.size() > 1 ? toolCalls.subList(0, 1) : toolCalls;
    }

    /** The engine's usage, or an empty object. */
    ObjectNode usage() {
        return answer.body().path("usage") instanceof ObjectNode usage
                ? usage
                : com.fasterxml.jackson.databind.node.JsonNodeFactory.instance.objectNode();
    }

    int promptTokens() {
        int counted = usage().path("prompt_tokens").asInt(-1);
        return counted >= 0 ? counted : answer.promptIds() == null ? 0 : answer.promptIds().length;
    }

    int completionTokens() {
        int counted = usage().path("completion_tokens").asInt(-1);
        return counted >= 0 ? counted : answer.sampledIds() == null ? 0 : answer.sampledIds().length;
    }

    int cachedTokens() {
        return Math.max(0, answer.cachedTokens());
    }

    /** The stop string of the agent's that ended the answer, or null. */
    String stopString(ChatCall call) {
        var matched = answer.matchedStop();
        return matched != null && matched.isTextual() && call.stops().contains(matched.textValue())
                ? matched.textValue()
                : null;
    }
}
