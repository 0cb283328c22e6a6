package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Turns Google's system instruction and contents into messages as engines take them. For one request.
 *
 * <p>Neighbouring contents of one role are one turn. Results come right after their calls, in the order of the calls, before anything else that the user says.
 */
final class GoogleTurns {
    private final ArrayNode messages = JsonNodeFactory.instance.arrayNode();
    private final ReasoningSeal seal;
    private final List<String> dropped;

    /** The turn that is being put together. */
    private final List<Part> parts = new ArrayList<>();

    private boolean model;
    private GoogleCalls calls = new GoogleCalls(0);

    private record Part(ObjectNode fields, String kind, String path) {}

    GoogleTurns(ReasoningSeal seal, List<String> dropped) {
        this.seal = seal;
        this.dropped = dropped;
    }

    /** @throws RefusedException where something is malformed or cannot be served */
    ArrayNode decode(JsonNode systemInstruction, JsonNode contents) {
        system(systemInstruction);
        var list = GoogleFields.list(contents, "contents");
        if (list.isEmpty()) {
            throw RefusedException.invalid("contents", "must be a list of at least one content");
        }
        boolean begun = false;
        for (int i = 0; i < list.size(); i++) {
            var path = "contents[" + i + "]";
            var content = GoogleFields.of(list.get(i), path);
            boolean fromModel = fromModel(content, path);
            if (begun && fromModel != model) {
                flush();
            }
            begun = true;
            model = fromModel;
            collect(GoogleFields.list(content.path("parts"), path + ".parts"), path + ".parts");
        }
        flush();
        return messages;
    }

    private static boolean fromModel(ObjectNode content, String path) {
        return switch (GoogleFields.text(content.path("role"), path + ".role")) {
            case "model" -> true;
            case "", "user", "function" -> false;
            default -> throw RefusedException.invalid(path + ".role", "must be user, model or function");
        };
    }

    private void collect(ArrayNode sent, String path) {
        for (int i = 0; i < sent.size(); i++) {
            var at = path + "[" + i + "]";
            var fields = GoogleFields.of(sent.get(i), at);
            var kind = GoogleParts.kind(fields, at);
            var modelsOwn = kind.equals("functionCall");
            if (!kind.isEmpty() && !kind.equals("text") && modelsOwn != model) {
                throw RefusedException.invalid(
                        at, "a part with " + kind + " belongs to the " + (modelsOwn ? "model" : "user"));
            }
            parts.add(new Part(fields, kind, at));
        }
    }

    private void flush() {
        if (model) {
            model();
        } else {
            user();
        }
        parts.clear();
    }

    /** Text in order, then the calls. */
    private void model() {
        calls = new GoogleCalls(calls.next());
        var text = new StringBuilder();
        var thoughts = new StringBuilder();
        var sealed = new LinkedHashSet<String>();
        for (var part : parts) {
            opened(part, sealed);
            if (part.kind.equals("functionCall")) {
                calls.add(part.fields.get("functionCall"), part.path + ".functionCall");
            } else if (part.kind.equals("text")) {
                boolean thought = GoogleFields.flag(part.fields.path("thought"), part.path + ".thought");
                (thought ? thoughts : text).append(GoogleFields.text(part.fields.get("text"), part.path + ".text"));
            }
        }
        var message = messages.addObject().put("role", "assistant");
        if (calls.isEmpty() || !text.isEmpty()) {
            message.put("content", text.toString());
        } else {
            message.putNull("content");
        }
        if (!calls.isEmpty()) {
            message.set("tool_calls", calls.toolCalls());
        }
        // agents show thoughts and cut them; what was sealed is what the model thought
        var reasoning = sealed.isEmpty() ? thoughts.toString() : String.join("", sealed);
        if (!reasoning.isEmpty()) {
            message.put("reasoning_content", reasoning);
        }
    }

    private void opened(Part part, Set<String> into) {
        var signature = GoogleFields.text(part.fields.path("thoughtSignature"), part.path + ".thoughtSignature");
        if (!signature.isEmpty()) {
            seal.open(signature).ifPresentOrElse(into::add, () -> dropped.add("foreign_thought_signature"));
        }
    }

    /** Results first, then the rest as one message. */
    private void user() {
        var rest = JsonNodeFactory.instance.arrayNode();
        for (var part : parts) {
            if (part.kind.equals("functionResponse")) {
                calls.result(part.fields.get("functionResponse"), part.path + ".functionResponse", rest);
            }
        }
        boolean results = calls.answer(messages);
        for (var part : parts) {
            if (!part.kind.equals("functionResponse")) {
                GoogleParts.add(rest, part.fields, part.path);
            }
        }
        if (rest.isEmpty() && results) {
            return;
        }
        boolean textOnly = true;
        for (var part : rest) {
            textOnly &= part.path("type").textValue().equals("text");
        }
        var message = messages.addObject().put("role", "user");
        if (textOnly) {
            message.put("content", PromptText.of(rest));
        } else {
            message.set("content", rest);
        }
    }

    private void system(JsonNode instruction) {
        var path = "systemInstruction";
        if (instruction.isMissingNode()) {
            return;
        }
        var texts = JsonNodeFactory.instance.arrayNode();
        if (instruction.isTextual()) {
            GoogleParts.text(texts, instruction.textValue());
        } else {
            var sent = instruction.isArray()
                    ? instruction
                    : GoogleFields.of(instruction, path).path("parts");
            int index = 0;
            for (var part : GoogleFields.list(sent, path + ".parts")) {
                var at = path + ".parts[" + index++ + "]";
                var fields = GoogleFields.of(part, at);
                if (!fields.has("text")) {
                    throw RefusedException.invalid(at, "must be a text");
                }
                GoogleParts.text(texts, GoogleFields.text(fields.get("text"), at + ".text"));
            }
        }
        var text = PromptText.of(texts);
        if (!text.isEmpty()) {
            messages.add(PromptText.message("system", text));
        }
    }
}
