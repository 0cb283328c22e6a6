package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Turns Anthropic's system blocks and turns into messages as engines take them. For one request.
 *
 * <p>Neighbouring turns of one role are one turn, as they are for the vendor. Results of tools come right after the calls, before anything else that the turn says; a system message between
 * them waits until after the results.
 */
final class MessagesTurns {
    private static final String BILLING = "x-anthropic-billing-header:";

    private final ArrayNode messages = JsonNodeFactory.instance.arrayNode();
    private final List<String> dropped;

    /** The turn that is being put together. */
    private final List<JsonNode> blocks = new ArrayList<>();

    /** System texts that arrived between a call and its results. */
    private final List<String> waiting = new ArrayList<>();

    /** Ids of calls whose results have not come. */
    private final Set<String> openCalls = new HashSet<>();

    private String role = "";

    MessagesTurns(List<String> dropped) {
        this.dropped = dropped;
    }

    ArrayNode decode(ObjectNode body) {
        system(systemText(body.path("system"), "system"));
        if (!(body.get("messages") instanceof ArrayNode sent) || sent.isEmpty()) {
            throw RefusedException.invalid("messages", "must be a list of at least one message");
        }
        for (int i = 0; i < sent.size(); i++) {
            turn(sent.get(i), "messages[" + i + "]");
        }
        flush();
        release();
        if (messages.isEmpty()) {
            throw RefusedException.invalid("messages", "hold nothing for the model: give at least one message content");
        }
        return messages;
    }

    private void turn(JsonNode message, String path) {
        var content = message.path("content");
        switch (message.path("role").asText("")) {
            case "system" -> {
                var text = systemText(content, path + ".content");
                flush();
                if (openCalls.isEmpty()) {
                    system(text);
                } else {
                    waiting.add(text);
                }
            }
            case "user" -> collect("user", content, path + ".content");
            case "assistant" -> collect("assistant", content, path + ".content");
            default -> throw RefusedException.invalid(path + ".role", "must be user, assistant or system");
        }
    }

    private void collect(String ofRole, JsonNode content, String path) {
        if (!role.equals(ofRole)) {
            flush();
            role = ofRole;
        }
        if (content.isTextual()) {
            blocks.add(JsonNodeFactory.instance.objectNode().put("type", "text").set("text", content));
            return;
        }
        if (!content.isArray()) {
            throw RefusedException.invalid(path, "must be a string or a list of blocks");
        }
        for (int i = 0; i < content.size(); i++) {
            check(content.get(i), ofRole, path + "[" + i + "]");
            blocks.add(content.get(i));
        }
    }

    /** Refuses what cannot be served, by name and place; nothing is dropped in silence. */
    private static void check(JsonNode block, String role, String path) {
        if (!block.isObject() || !block.path("type").isTextual()) {
            throw RefusedException.invalid(path + ".type", "is required");
        }
        boolean user = role.equals("user");
        var type = block.path("type").textValue();
        switch (type) {
            case "text" -> require(block.path("text").isTextual(), path + ".text", "must be a string");
            case "image", "document", "tool_result", "search_result" ->
                require(user, path, "a block of type " + type + " belongs to the user");
            case "thinking", "redacted_thinking" ->
                require(!user, path, "a block of type " + type + " belongs to the assistant");
            case "tool_use" -> {
                require(!user, path, "a block of type tool_use belongs to the assistant");
                require(block.path("name").isTextual(), path + ".name", "is required");
                require(block.path("id").isTextual(), path + ".id", "is required");
            }
            default -> throw RefusedException.invalid(path, "a block of type '" + type + "' cannot be served here");
        }
        if (type.equals("tool_result")) {
            require(block.path("tool_use_id").isTextual(), path + ".tool_use_id", "is required");
        }
    }

    private static void require(boolean holds, String path, String problem) {
        if (!holds) {
            throw RefusedException.invalid(path, problem);
        }
    }

    private void flush() {
        if (role.equals("assistant")) {
            release();
            openCalls.clear();
            assistant();
        } else if (role.equals("user")) {
            user();
        }
        blocks.clear();
        role = "";
    }

    /** Text in order, then the calls. */
    private void assistant() {
        var message = JsonNodeFactory.instance.objectNode().put("role", "assistant");
        var text = new StringBuilder();
        var reasoning = new StringBuilder();
        boolean said = false;
        for (var block : blocks) {
            switch (block.path("type").textValue()) {
                case "text" -> {
                    text.append(said ? PromptText.BETWEEN_PARTS : "")
                            .append(block.path("text").textValue());
                    said = true;
                }
                case "thinking" -> reasoning.append(block.path("thinking").asText(""));
                case "redacted_thinking" -> dropped.add("redacted_thinking");
                default -> call(message, block);
            }
        }
        if (message.has("tool_calls") && text.isEmpty()) {
            message.putNull("content");
        } else {
            message.put("content", text.toString());
        }
        if (!reasoning.isEmpty()) {
            message.put("reasoning_content", reasoning.toString());
        }
        messages.add(message);
    }

    private void call(ObjectNode message, JsonNode block) {
        openCalls.add(block.path("id").textValue());
        var calls = message.get("tool_calls") instanceof ArrayNode list ? list : message.putArray("tool_calls");
        var input = block.path("input");
        boolean none = input.isMissingNode() || input.isNull();
        calls.addObject()
                .put("id", block.path("id").textValue())
                .put("type", "function")
                .putObject("function")
                .put("name", block.path("name").textValue())
                .put("arguments", none ? "{}" : MessagesDecoder.text(input));
    }

    /** Results first, then the rest as one message. */
    private void user() {
        var rest = JsonNodeFactory.instance.arrayNode();
        for (var block : blocks) {
            if (block.path("type").textValue().equals("tool_result")) {
                result(block, rest);
            }
        }
        if (openCalls.isEmpty()) {
            release();
        }
        for (var block : blocks) {
            if (!block.path("type").textValue().equals("tool_result")) {
                MessagesParts.add(rest, block);
            }
        }
        if (rest.isEmpty()) {
            if (blocks.isEmpty()) {
                messages.add(PromptText.message("user", ""));
            }
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

    /** A result is text; its pictures follow in the user's message, where every template shows them. */
    private void result(JsonNode block, ArrayNode rest) {
        openCalls.remove(block.path("tool_use_id").textValue());
        var parts = JsonNodeFactory.instance.arrayNode();
        var content = block.path("content");
        if (content.isTextual()) {
            parts.addObject().put("type", "text").set("text", content);
        } else if (content.isArray()) {
            content.forEach(part -> MessagesParts.add(parts, part));
        }
        for (var part : parts) {
            if (!part.path("type").textValue().equals("text")) {
                rest.add(part);
            }
        }
        messages.addObject()
                .put("role", "tool")
                .put("tool_call_id", block.path("tool_use_id").textValue())
                .put(
                        "content",
                        marked(PromptText.of(parts), block.path("is_error").asBoolean(false)));
    }

    /** So that the model sees that a call failed: a tool message has no other place for it. */
    static String marked(String text, boolean failed) {
        if (!failed || text.regionMatches(true, 0, "error", 0, 5)) {
            return text;
        }
        return text.isEmpty() ? "Error" : "Error: " + text;
    }

    private void release() {
        waiting.forEach(this::system);
        waiting.clear();
    }

    private void system(String text) {
        if (!text.isEmpty()) {
            messages.add(PromptText.message("system", text));
        }
    }

    private String systemText(JsonNode system, String path) {
        if (system.isMissingNode() || system.isNull()) {
            return "";
        }
        if (system.isTextual()) {
            return withoutBilling(system.textValue());
        }
        if (!system.isArray()) {
            throw RefusedException.invalid(path, "must be a string or a list of text blocks");
        }
        var texts = new ArrayList<String>();
        for (int i = 0; i < system.size(); i++) {
            if (!system.get(i).path("text").isTextual()) {
                throw RefusedException.invalid(path + "[" + i + "]", "must be a text block");
            }
            var text = withoutBilling(system.get(i).path("text").textValue());
            if (!text.isEmpty()) {
                texts.add(text);
            }
        }
        return String.join(PromptText.BETWEEN_PARTS, texts);
    }

    /** The header holds a hash that changes with every call: no prompt would ever go on from the one before. */
    private String withoutBilling(String text) {
        if (!text.startsWith(BILLING)) {
            return text;
        }
        dropped.add("billing_header");
        int end = text.indexOf('\n');
        return end < 0 ? "" : text.substring(end + 1);
    }
}
