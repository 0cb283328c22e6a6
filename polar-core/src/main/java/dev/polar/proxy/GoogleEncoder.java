package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.polar.inference.Delta;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Encodes an answer as a GenerateContentResponse.
 *
 * <p>What the model thought is sealed in the {@code thoughtSignature} of the thought and of the part that follows it: agents send back the one or the other. For one
 * answer, whole or told while it is sampled; not thread-safe.
 */
final class GoogleEncoder {
    private final ChatCall call;
    private final ReasoningSeal seal;
    private final String id = Reply.randomHex();
    private final StringBuilder thought = new StringBuilder();
    private final StringBuilder arguments = new StringBuilder();
    private Delta.Call openCall;
    private boolean relayed;

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

    /** What there is of an answer, or nothing where it cannot be told yet: a call is told whole. */
    Optional<ObjectNode> relay(Delta delta) {
        var parts = JsonNodeFactory.instance.arrayNode();
        switch (delta) {
            case Delta.Begin _ -> relayed = true;
            case Delta.Logprobs _ -> {} // told with the end
            case Delta.Reasoning more -> {
                addCall(parts);
                thought.append(more.text());
                if (!call.wishes().noThoughts()) {
                    parts.addObject().put("text", more.text()).put("thought", true);
                }
            }
            case Delta.Text more -> {
                addCall(parts);
                sign(parts.addObject().put("text", more.text()), signature());
            }
            case Delta.Call begun -> {
                addCall(parts);
                openCall = begun;
            }
            case Delta.Arguments more -> arguments.append(more.text());
        }
        return parts.isEmpty() ? Optional.empty() : Optional.of(response(parts));
    }

    /** True once something was relayed. */
    boolean relayed() {
        return relayed;
    }

    /** The last chunk, with what was not relayed. */
    ObjectNode rest(Reply reply) {
        var parts = JsonNodeFactory.instance.arrayNode();
        addCall(parts);
        var signature = signature();
        if (signature != null) {
            var empty = parts.addObject().put("text", "");
            if (!call.wishes().noThoughts()) {
                empty.put("thought", true);
            }
            sign(empty, signature);
        } else if (parts.isEmpty()) {
            parts.addObject().put("text", "");
        }
        return last(reply, parts);
    }

    private void addCall(ArrayNode parts) {
        if (openCall == null) {
            return;
        }
        var made = new Reply.ToolCall(openCall.id(), openCall.name(), arguments.toString());
        openCall = null;
        arguments.setLength(0);
        if (wellFormed(made)) {
            sign(functionCall(parts.addObject(), made), signature());
        }
    }

    /** Of what it thought since the last one, or null. */
    private String signature() {
        if (thought.isEmpty()) {
            return null;
        }
        var signature = seal.seal(thought.toString());
        thought.setLength(0);
        return signature;
    }

    private ObjectNode response(Reply reply, ArrayNode parts, Consumer<ObjectNode> more) {
        var body = response(parts);
        more.accept((ObjectNode) body.get("candidates").get(0));
        body.set("usageMetadata", usage(reply));
        return body;
    }

    private ObjectNode response(ArrayNode parts) {
        var body = JsonNodeFactory.instance.objectNode();
        var candidate = body.putArray("candidates").addObject();
        var content = candidate.putObject("content");
        content.set("parts", parts);
        content.put("role", "model");
        candidate.put("index", 0);
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
