package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Encodes an answer as a Chat Completion. */
final class ChatEncoder {
    private ChatEncoder() {}

    static ObjectNode whole(ChatCall call, Reply reply) {
        var body = head(call, reply.answer().body(), "chat.completion");
        var choice = body.putArray("choices").addObject();
        choice.put("index", 0);
        choice.set("message", message(call, reply));
        choice.set("logprobs", logprobs(call, reply));
        choice.put("finish_reason", finishReason(reply));
        if (call.wishes().tokenIds()) {
            body.set("prompt_token_ids", ids(reply.answer().promptIds()));
            choice.set("token_ids", ids(reply.answer().sampledIds()));
        }
        body.set("usage", usage(reply));
        return body;
    }

    /** {@code id}, {@code object}, {@code created}, {@code model} as the agent asked for it, {@code system_fingerprint}. */
    static ObjectNode head(ChatCall call, ObjectNode engine, String object) {
        var body = JsonNodeFactory.instance.objectNode();
        body.put("id", engine.path("id").asText("chatcmpl-polar"));
        body.put("object", object);
        body.put("created", engine.path("created").asLong(0));
        body.put("model", call.model().isEmpty() ? engine.path("model").asText("") : call.model());
        if (engine.path("system_fingerprint").isTextual()) {
            body.set("system_fingerprint", engine.get("system_fingerprint"));
        }
        return body;
    }

    private static ObjectNode message(ChatCall call, Reply reply) {
        var message = JsonNodeFactory.instance.objectNode();
        message.put("role", "assistant");
        message.put("content", reply.text());
        if (reply.reasoning() != null) {
            message.put("reasoning_content", reply.reasoning());
        }
        message.put("refusal", reply.message().path("refusal").textValue());
        var calls = reply.toolCallsFor(call);
        if (!calls.isEmpty()) {
            var list = message.putArray("tool_calls");
            calls.forEach(made -> toolCall(list.addObject(), made));
        }
        return message;
    }

    static ObjectNode toolCall(ObjectNode call, Reply.ToolCall made) {
        call.put("id", made.id());
        call.put("type", "function");
        call.putObject("function").put("name", made.name()).put("arguments", made.arguments());
        return call;
    }

    static String finishReason(Reply reply) {
        return reply.finishReason();
    }

    /** What the agent asked for; the numbers are the engine's. */
    static JsonNode logprobs(ChatCall call, Reply reply) {
        if (!call.wishes().logprobs() || reply.answer().shown() == null) {
            return JsonNodeFactory.instance.nullNode();
        }
        var logprobs = JsonNodeFactory.instance.objectNode();
        logprobs.set("content", reply.answer().shown());
        logprobs.putNull("refusal");
        return logprobs;
    }

    private static JsonNode ids(int[] ids) {
        if (ids == null) {
            return JsonNodeFactory.instance.nullNode();
        }
        var list = JsonNodeFactory.instance.arrayNode(ids.length);
        for (int id : ids) {
            list.add(id);
        }
        return list;
    }

    /** With its details as objects: some agents read into them. */
    static ObjectNode usage(Reply reply) {
        var usage = JsonNodeFactory.instance.objectNode();
        usage.put("prompt_tokens", reply.promptTokens());
        usage.put("completion_tokens", reply.completionTokens());
        usage.put("total_tokens", reply.promptTokens() + reply.completionTokens());
        usage.putObject("prompt_tokens_details")
                .put("cached_tokens", reply.cachedTokens())
                .put("audio_tokens", 0);
        usage.putObject("completion_tokens_details")
                .put("reasoning_tokens", reasoningTokens(reply))
                .put("audio_tokens", 0)
                .put("accepted_prediction_tokens", 0)
                .put("rejected_prediction_tokens", 0);
        return usage;
    }

    static int reasoningTokens(Reply reply) {
        int detail = reply.usage()
                .path("completion_tokens_details")
                .path("reasoning_tokens")
                .asInt(0);
        return detail > 0 ? detail : reply.usage().path("reasoning_tokens").asInt(0);
    }

    /** The tool calls as a stream's delta has them: with their index. */
    static ArrayNode indexed(ChatCall call, Reply reply) {
        var list = JsonNodeFactory.instance.arrayNode();
        int index = 0;
        for (var made : reply.toolCallsFor(call)) {
            toolCall(list.addObject().put("index", index++), made);
        }
        return list;
    }
}
