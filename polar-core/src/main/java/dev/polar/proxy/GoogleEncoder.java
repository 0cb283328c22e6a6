package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Encodes an answer as a GenerateContentResponse.
 *
 * <p>What the model thought is sealed in the {@code thoughtSignature} of the thought and of the part that follows it: agents send back the one or the other. For one answer.
 */
final class GoogleEncoder {
    private final ChatCall call;
    private final ReasoningSeal seal;
    private final String id = Reply.randomHex();

    GoogleEncoder(ChatCall call, ReasoningSeal seal) {
        this.call = call;
        this.seal = seal;
    }

    ObjectNode whole(Reply reply) {
        var parts = JsonNodeFactory.instance.arrayNode();
        pieces(reply).forEach(parts::addAll);
        return last(reply, parts);
    }

    /** The answer's parts in order, those of a kind together; at least one piece. */
    List<ArrayNode> pieces(Reply reply) {
        var pieces = new ArrayList<ArrayNode>();
        boolean thought = MessagesEncoder.hasReasoning(reply);
        var signature = thought ? seal.seal(reply.reasoning()) : null;
        if (thought && !call.wishes().noThoughts()) {
            piece(pieces)
                    .addObject()
                    .put("text", reply.reasoning())
                    .put("thought", true)
                    .put("thoughtSignature", signature);
        }
        var calls = JsonNodeFactory.instance.arrayNode();
        for (var made : reply.toolCallsFor(call)) {
            if (wellFormed(made)) {
                sign(functionCall(calls.addObject(), made), calls.size() == 1 ? signature : null);
            }
        }
        boolean text = MessagesEncoder.hasText(call, reply);
        if (text || (calls.isEmpty() && pieces.isEmpty())) {
            sign(piece(pieces).addObject().put("text", text ? reply.text() : ""), calls.isEmpty() ? signature : null);
        }
        if (!calls.isEmpty()) {
            pieces.add(calls);
        }
        return pieces;
    }

    private static ArrayNode piece(List<ArrayNode> pieces) {
        var piece = JsonNodeFactory.instance.arrayNode();
        pieces.add(piece);
        return piece;
    }

    private static void sign(ObjectNode part, String signature) {
        if (signature != null) {
            part.put("thoughtSignature", signature);
        }
    }

    /** With the model's own text of the arguments, not read and written again. */
    private static ObjectNode functionCall(ObjectNode part, Reply.ToolCall made) {
        var function = part.putObject("functionCall").put("id", made.id()).put("name", made.name());
        if (made.arguments().isBlank()) {
            function.putObject("args");
        } else {
            function.putRawValue("args", new RawValue(made.arguments()));
        }
        return part;
    }

    /** Arguments are an object on this wire, and cannot be anything else. */
    private static boolean wellFormed(Reply.ToolCall made) {
        return !made.name().isEmpty()
                && (made.arguments().isBlank()
                        || ToolArguments.tree(made.arguments()).isObject());
    }

    /** A chunk of a stream, but for the last. */
    ObjectNode chunk(Reply reply, ArrayNode parts) {
        return response(reply, parts, candidate -> {});
    }

    /** The last chunk, or the only one. */
    ObjectNode last(Reply reply, ArrayNode parts) {
        return response(reply, parts, candidate -> finish(reply, candidate));
    }

    private ObjectNode response(Reply reply, ArrayNode parts, Consumer<ObjectNode> more) {
        var body = JsonNodeFactory.instance.objectNode();
        var candidate = body.putArray("candidates").addObject();
        var content = candidate.putObject("content");
        content.set("parts", parts);
        content.put("role", "model");
        candidate.put("index", 0);
        more.accept(candidate);
        body.set("usageMetadata", usage(reply));
        body.put("modelVersion", call.model());
        body.put("responseId", id);
        return body;
    }

    /** Calls that cannot be shown are told in the words that the vendor has for them. */
    private void finish(Reply reply, ObjectNode candidate) {
        var reason = finishReason(reply.finishReason());
        var malformed = reply.toolCallsFor(call).stream()
                .filter(made -> !wellFormed(made))
                .map(made -> made.name() + "(" + made.arguments() + ")")
                .toList();
        if (!malformed.isEmpty()) {
            // cut off within a call is cut off first of all
            reason = reason.equals("MAX_TOKENS") ? reason : "MALFORMED_FUNCTION_CALL";
            candidate.put("finishMessage", "Malformed function call: " + String.join(", ", malformed));
        }
        candidate.put("finishReason", reason);
        if (call.wishes().logprobs() && reply.answer().shown() != null) {
            GoogleLogprobs.add(candidate, reply.answer());
        }
    }

    static String finishReason(String engines) {
        return switch (engines) {
            case "stop", "tool_calls", "function_call" -> "STOP";
            case "length" -> "MAX_TOKENS";
            case "content_filter" -> "SAFETY";
            default -> "OTHER";
        };
    }

    /** Thoughts are not candidates' tokens here. */
    static ObjectNode usage(Reply reply) {
        int thoughts = Math.min(ChatEncoder.reasoningTokens(reply), reply.completionTokens());
        var usage = JsonNodeFactory.instance
                .objectNode()
                .put("promptTokenCount", reply.promptTokens())
                .put("candidatesTokenCount", reply.completionTokens() - thoughts)
                .put("thoughtsTokenCount", thoughts)
                .put("totalTokenCount", reply.promptTokens() + reply.completionTokens());
        if (reply.cachedTokens() > 0) {
            usage.put("cachedContentTokenCount", reply.cachedTokens());
        }
        return usage;
    }
}
