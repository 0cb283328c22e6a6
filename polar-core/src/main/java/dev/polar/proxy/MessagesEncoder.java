package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.polar.inference.JsonTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.CRC32C;

/** Encodes an answer as an Anthropic message. */
final class MessagesEncoder {
    private MessagesEncoder() {}

    static ObjectNode whole(ChatCall call, Reply reply) {
        var message = head(call, "msg_" + Reply.randomHex());
        var content = message.putArray("content");
        if (hasReasoning(reply)) {
            content.addObject()
                    .put("type", "thinking")
                    .put("thinking", reply.reasoning())
                    .put("signature", signature(reply.reasoning()));
        }
        if (hasText(call, reply)) {
            content.addObject().put("type", "text").put("text", reply.text() == null ? "" : reply.text());
        }
        for (var made : reply.toolCallsFor(call)) {
            toolUse(content.addObject(), made).set("input", input(made.arguments()));
        }
        message.put("stop_reason", stopReason(call, reply));
        message.put("stop_sequence", reply.stopString(call));
        message.set("usage", usage(reply));
        return message;
    }

    static ObjectNode head(ChatCall call, String id) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("id", id)
                .put("type", "message")
                .put("role", "assistant")
                .put("model", call.model());
    }

    static boolean hasReasoning(Reply reply) {
        return reply.reasoning() != null && !reply.reasoning().isEmpty();
    }

    /** An answer without anything is one empty text, since a message without blocks is none. */
    static boolean hasText(ChatCall call, Reply reply) {
        return reply.text() != null && !reply.text().isEmpty();
    }

    static ObjectNode toolUse(ObjectNode block, Reply.ToolCall made) {
        return block.put("type", "tool_use").put("id", made.id()).put("name", made.name());
    }

    /** The model's own text, not read and written again; what is no JSON is shown as a string. */
    private static JsonNode input(String arguments) {
        if (arguments.isBlank()) {
            return JsonNodeFactory.instance.objectNode();
        }
        return isJson(arguments)
                ? JsonNodeFactory.instance.rawValueNode(new RawValue(arguments))
                : JsonNodeFactory.instance.textNode(arguments);
    }

    static boolean isJson(String text) {
        try {
            JsonTree.read(text);
            return true;
        } catch (IOException notJson) {
            return false;
        }
    }

    /** Agents send it back and nobody reads it: a checksum, so that the same thought has the same signature. */
    static String signature(String reasoning) {
        var checksum = new CRC32C();
        checksum.update(reasoning.getBytes(StandardCharsets.UTF_8));
        return Base64.getEncoder()
                .encodeToString(("polar:" + Long.toHexString(checksum.getValue())).getBytes(StandardCharsets.US_ASCII));
    }

    static String stopReason(ChatCall call, Reply reply) {
        if (!reply.toolCalls().isEmpty() && !reply.finishReason().equals("length")) {
            return "tool_use";
        }
        return switch (reply.finishReason()) {
            case "length" -> "max_tokens";
            case "tool_calls", "function_call" -> "tool_use";
            case "content_filter" -> "refusal";
            default -> reply.stopString(call) == null ? "end_turn" : "stop_sequence";
        };
    }

    /** Cached tokens are not input tokens here. */
    static ObjectNode usage(Reply reply) {
        int cached = Math.min(reply.cachedTokens(), reply.promptTokens());
        return usage(reply.promptTokens() - cached, cached, reply.completionTokens());
    }

    static ObjectNode usage(int input, int cached, int output) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("input_tokens", input)
                .put("cache_creation_input_tokens", 0)
                .put("cache_read_input_tokens", cached)
                .put("output_tokens", output);
    }
}
