package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/**
 * The calls of one turn of the model and their results. A result belongs to the call with its id; without one, to the first call of its name that has none yet. For one turn, by one thread.
 *
 * <p>A call without an id gets one that says which call of the conversation it is: the same on every turn.
 */
final class GoogleCalls {
    private final List<Call> calls = new ArrayList<>();
    private final List<Result> results = new ArrayList<>();
    private int next;

    private static final class Call {
        final String id;
        final String name;
        final String arguments;
        final boolean named;
        Result result;

        Call(String id, String name, String arguments, boolean named) {
            this.id = id;
            this.name = name;
            this.arguments = arguments;
            this.named = named;
        }
    }

    private record Result(String id, String name, String content) {}

    /** @param next number of the first call without an id */
    GoogleCalls(int next) {
        this.next = next;
    }

    /** Number of the first call without an id in the next turn. */
    int next() {
        return next;
    }

    boolean isEmpty() {
        return calls.isEmpty();
    }

    void add(JsonNode sent, String path) {
        var call = GoogleFields.of(sent, path);
        var name = name(call, path);
        var id = id(call, name, path);
        var args = call.path("args");
        if (!args.isMissingNode() && !args.isObject()) {
            throw RefusedException.invalid(path + ".args", "must be an object");
        }
        calls.add(new Call(
                id.isEmpty() ? made() : id,
                name,
                args.isMissingNode() ? "{}" : MessagesDecoder.text(args),
                !id.isEmpty()));
    }

    /** As an assistant's message has them. */
    ArrayNode toolCalls() {
        var list = JsonNodeFactory.instance.arrayNode(calls.size());
        for (var call : calls) {
            list.addObject()
                    .put("id", call.id)
                    .put("type", "function")
                    .putObject("function")
                    .put("name", call.name)
                    .put("arguments", call.arguments);
        }
        return list;
    }

    /**
     * Takes a result.
     *
     * @param pictures gets what is no text in it: it follows in the user's message, where every template shows it
     */
    void result(JsonNode sent, String path, ArrayNode pictures) {
        var response = GoogleFields.of(sent, path);
        var name = name(response, path);
        var texts = JsonNodeFactory.instance.arrayNode();
        GoogleParts.text(texts, text(response.path("response")));
        var parts = JsonNodeFactory.instance.arrayNode();
        var media = GoogleFields.list(response.path("parts"), path + ".parts");
        for (int i = 0; i < media.size(); i++) {
            var at = path + ".parts[" + i + "]";
            GoogleParts.add(parts, GoogleFields.of(media.get(i), at), at);
        }
        for (var part : parts) {
            (part.path("type").textValue().equals("text") ? texts : pictures).add(part);
        }
        results.add(new Result(id(response, name, path), name, PromptText.of(texts)));
    }

    /**
     * Adds one tool message for each result: in the order of the calls, then those without a call.
     *
     * @return false where there are none
     */
    boolean answer(ArrayNode messages) {
        var left = new ArrayList<>(results);
        left.removeIf(this::pairedById);
        left.removeIf(this::pairedByName);
        for (var call : calls) {
            if (call.result != null) {
                message(messages, call.id, call.result.content);
                call.result = null;
            }
        }
        for (var orphan : left) {
            message(messages, orphan.id.isEmpty() ? made() : orphan.id, orphan.content);
        }
        boolean any = !results.isEmpty();
        results.clear();
        return any;
    }

    private boolean pairedById(Result result) {
        if (result.id.isEmpty()) {
            return false;
        }
        for (var call : calls) {
            if (call.named && call.result == null && call.id.equals(result.id)) {
                call.result = result;
                return true;
            }
        }
        return false;
    }

    private boolean pairedByName(Result result) {
        for (var call : calls) {
            // two ids that differ are two calls
            if (call.result == null && call.name.equals(result.name) && (result.id.isEmpty() || !call.named)) {
                call.result = result;
                return true;
            }
        }
        return false;
    }

    private static void message(ArrayNode messages, String id, String content) {
        messages.addObject().put("role", "tool").put("tool_call_id", id).put("content", content);
    }

    private String made() {
        return "call_" + next++;
    }

    private static String name(ObjectNode fields, String path) {
        if (!fields.path("name").isTextual()) {
            throw RefusedException.invalid(path + ".name", "is required");
        }
        return fields.get("name").textValue();
    }

    /** Some agents put the tool's name before our id. */
    private static String id(ObjectNode fields, String name, String path) {
        var id = GoogleFields.text(fields.path("id"), path + ".id");
        var prefix = name + "__";
        return id.startsWith(prefix) && id.length() > prefix.length() ? id.substring(prefix.length()) : id;
    }

    /** As Google reads it: {@code output} is the result, {@code error} says that it failed; any other object is the result itself. */
    private static String text(JsonNode response) {
        if (response.isObject() && response.size() == 1) {
            if (response.has("output")) {
                return plain(response.get("output"));
            }
            if (response.has("error")) {
                return MessagesTurns.marked(plain(response.get("error")), true);
            }
        }
        return plain(response);
    }

    private static String plain(JsonNode value) {
        if (value.isMissingNode() || value.isNull()) {
            return "";
        }
        return value.isTextual() ? value.textValue() : MessagesDecoder.text(value);
    }
}
