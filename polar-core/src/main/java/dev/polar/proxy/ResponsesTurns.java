package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Turns Responses items into messages as engines take them. For one request.
 *
 * <p>What one answer of the policy's was is one message again, so that the prompt goes on from it: its reasoning, its text, its calls. Results come right after their calls; what the agent put
 * between waits until after them.
 */
final class ResponsesTurns {
    /** The order of an answer's items: one that steps back, or a second text, starts another answer. */
    private enum Step {
        REASONING,
        TEXT,
        CALL
    }

    private final ArrayNode messages = JsonNodeFactory.instance.arrayNode();
    private final ResponsesTools tools;
    private final ResponsesMemory memory;
    private final ReasoningSeal seal;
    private final List<String> dropped;

    /** The policy's message that may still grow, or null. */
    private ObjectNode answer;

    private Step step;

    /** True where results of its calls have come: only calls of the same answer may still join it. */
    private boolean answered;

    private final Set<String> openCalls = new HashSet<>();
    private final Map<String, String> shellCallIds = new HashMap<>();

    /** Pictures of results, which tool messages cannot show. */
    private final ArrayNode pictures = JsonNodeFactory.instance.arrayNode();

    private final List<ObjectNode> waiting = new ArrayList<>();

    ResponsesTurns(ResponsesTools tools, AgentSession session, List<String> dropped) {
        this.tools = tools;
        this.memory = session.responses();
        this.seal = session.reasoningSeal();
        this.dropped = dropped;
    }

    /** The messages of all items. */
    ArrayNode decode(List<JsonNode> items) {
        for (int i = 0; i < items.size(); i++) {
            item(items.get(i), "input[" + i + "]");
        }
        release();
        for (var message : messages) {
            if (message.path("content").isNull() && !message.has("tool_calls")) {
                ((ObjectNode) message).put("content", "");
            }
        }
        return messages;
    }

    /** The type of an item: a role makes a message of what has none; the empty string where nothing tells. */
    static String type(JsonNode item) {
        return item.path("type").asText(item.has("role") ? "message" : "");
    }

    private void item(JsonNode item, String path) {
        var type = type(item);
        switch (type) {
            case "message" -> message(item, path);
            case "reasoning" -> reasoning(item);
            case "function_call" -> functionCall(item, path);
            case "custom_tool_call" -> customCall(item, path);
            case "local_shell_call" -> shellCall(item, path);
            case "function_call_output", "custom_tool_call_output" ->
                result(required(item, "call_id", path), item.path("output"), path);
            case "local_shell_call_output" -> shellResult(item, path);
            // its tools are with the others
            case "additional_tools" -> {}
            // of a hosted tool that was run elsewhere: its text stands in the message after it
            case "web_search_call", "file_search_call", "image_generation_call", "code_interpreter_call" ->
                dropped.add("hosted_call");
            case "" ->
                throw RefusedException.invalid(path + ".type", "is required: this item has neither a type nor a role");
            default -> throw RefusedException.invalid(path, "an item of type '" + type + "' cannot be served here");
        }
    }

    private void message(JsonNode item, String path) {
        var role = item.path("role").asText("");
        var content = item.path("content");
        if (content.isMissingNode() || content.isNull()) {
            throw RefusedException.invalid(path + ".content", "is required");
        }
        var parts = ResponsesParts.of(content, path + ".content");
        switch (role) {
            case "assistant" -> said(parts, path);
            case "user" -> told(ResponsesParts.message("user", parts));
            case "system", "developer" -> told(ResponsesParts.message("system", parts));
            default ->
                throw RefusedException.invalid(path + ".role", "must be one of user, assistant, system, developer");
        }
    }

    private void said(ArrayNode parts, String path) {
        for (var part : parts) {
            if (!ResponsesParts.isText(part)) {
                throw RefusedException.invalid(path + ".content", "an assistant's message can hold text only");
            }
        }
        grow(Step.TEXT).put("content", PromptText.of(parts));
    }

    private void told(ObjectNode message) {
        if (openCalls.isEmpty()) {
            answer = null;
            messages.add(message);
        } else {
            waiting.add(message);
        }
    }

    private void reasoning(JsonNode item) {
        var text = reasoningText(item);
        if (text == null) {
            return;
        }
        var message = grow(Step.REASONING);
        message.put("reasoning_content", message.path("reasoning_content").asText("") + text);
    }

    /** What the policy thought, or null where this server cannot tell. */
    private String reasoningText(JsonNode item) {
        var sealed = item.path("encrypted_content").asText("");
        if (!sealed.isEmpty()) {
            var opened = seal.open(sealed);
            if (opened.isEmpty()) {
                dropped.add("foreign_reasoning");
            }
            return opened.orElse(null);
        }
        var text = plainReasoning(item);
        if (text == null) {
            text = memory.item(item.path("id").textValue())
                    .map(ResponsesTurns::plainReasoning)
                    .orElse(null);
        }
        if (text == null) {
            dropped.add("reasoning_without_text");
        }
        return text;
    }

    private static String plainReasoning(JsonNode item) {
        var text = new StringBuilder();
        for (var part : item.path("content")) {
            text.append(part.path("text").asText(""));
        }
        return text.isEmpty() ? null : text.toString();
    }

    private void functionCall(JsonNode item, String path) {
        var arguments = item.path("arguments");
        call(
                required(item, "call_id", path),
                tools.function(item.path("namespace").textValue(), required(item, "name", path)),
                arguments.isTextual()
                        ? arguments.textValue()
                        : arguments.isMissingNode() || arguments.isNull() ? "{}" : MessagesDecoder.text(arguments));
    }

    private void customCall(JsonNode item, String path) {
        var callId = required(item, "call_id", path);
        var input = required(item, "input", path);
        call(
                callId,
                tools.function(item.path("namespace").textValue(), required(item, "name", path)),
                memory.arguments(callId, input).orElseGet(() -> ResponsesTools.customArguments(input)));
    }

    private void shellCall(JsonNode item, String path) {
        var action = item.path("action");
        if (!action.path("command").isArray()) {
            throw RefusedException.invalid(path + ".action.command", "must be a list of strings");
        }
        var callId = required(item, "call_id", path);
        if (item.path("id").isTextual()) {
            shellCallIds.put(item.get("id").textValue(), callId);
        }
        call(
                callId,
                tools.function(null, AgentTool.LocalShell.NAME),
                memory.arguments(callId, LocalShellCalls.shown(action))
                        .orElseGet(() -> LocalShellCalls.arguments(action)));
    }

    private static String required(JsonNode item, String key, String path) {
        var value = item.path(key).textValue();
        if (value == null) {
            throw RefusedException.invalid(path + "." + key, "must be a string");
        }
        return value;
    }

    private void call(String callId, String function, String arguments) {
        var message = grow(Step.CALL, callId);
        openCalls.add(callId);
        var calls = message.get("tool_calls") instanceof ArrayNode list ? list : message.putArray("tool_calls");
        calls.addObject()
                .put("id", callId)
                .put("type", "function")
                .putObject("function")
                .put("name", function)
                .put("arguments", arguments);
    }

    private ObjectNode grow(Step next) {
        boolean goesOn =
                answer != null && !answered && (next.compareTo(step) > 0 || (next == step && next != Step.TEXT));
        return goesOn ? goOn(next) : begin(next);
    }

    /** Agents that run each call before they look at the next one send calls and results in turns. */
    private ObjectNode grow(Step next, String callId) {
        boolean same = answer != null
                && answered
                && memory.together(
                        callId, answer.path("tool_calls").path(0).path("id").asText());
        return same ? goOn(next) : grow(next);
    }

    private ObjectNode goOn(Step next) {
        step = next;
        return answer;
    }

    private ObjectNode begin(Step next) {
        release();
        openCalls.clear();
        answer = messages.addObject().put("role", "assistant").putNull("content");
        answered = false;
        step = next;
        return answer;
    }

    /** A result is text; its pictures follow in a message of the user's, where every template shows them. */
    private void result(String callId, JsonNode output, String path) {
        var text = JsonNodeFactory.instance.arrayNode();
        for (var part : ResponsesParts.of(output, path + ".output")) {
            (ResponsesParts.isText(part) ? text : pictures).add(part);
        }
        messages.addObject().put("role", "tool").put("tool_call_id", callId).put("content", PromptText.of(text));
        answered = true;
        openCalls.remove(callId);
        if (openCalls.isEmpty()) {
            release();
        }
    }

    /** Its id may be the call's, or the item's. */
    private void shellResult(JsonNode item, String path) {
        var callId = item.path("call_id").textValue();
        if (callId == null) {
            var id = required(item, "id", path);
            callId = shellCallIds.getOrDefault(id, id);
        }
        result(callId, item.path("output"), path);
    }

    private void release() {
        if (!pictures.isEmpty()) {
            waiting.addFirst(ResponsesParts.message("user", pictures.deepCopy()));
            pictures.removeAll();
        }
        if (!waiting.isEmpty()) {
            answer = null;
            messages.addAll(waiting);
            waiting.clear();
        }
    }
}
