package dev.polar.export;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.result.ChatMessage;
import dev.polar.result.ChatMessage.Part;
import dev.polar.wire.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Chat messages as items of the Responses API. Items are numbered, so that each has an id. */
final class ResponseItems {
    /** Content that these items have no word for. */
    static final class NoSuchContentException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private final ImageForm images;
    private int made;

    ResponseItems(ImageForm images) {
        this.images = images;
    }

    /** At least one item. */
    List<Map<String, Object>> of(ChatMessage message) {
        return switch (message.role()) {
            case "assistant" -> answer(message);
            case "tool" -> List.of(output(message));
            default -> List.of(given(message));
        };
    }

    private List<Map<String, Object>> answer(ChatMessage message) {
        var items = new ArrayList<Map<String, Object>>();
        if (message.reasoning() != null && !message.reasoning().isEmpty()) {
            var item = item("reasoning", "rs_");
            item.put("summary", List.of(Map.of("type", "summary_text", "text", message.reasoning())));
            items.add(item);
        }
        var text = message.text();
        boolean callsOnly = !message.toolCalls().isEmpty() && (text == null || text.isEmpty());
        if (!callsOnly) {
            var item = item("message", "msg_");
            item.put("role", "assistant");
            item.put("status", "completed");
            var words = new LinkedHashMap<String, Object>();
            words.put("type", "output_text");
            words.put("text", text == null ? "" : text);
            words.put("annotations", List.of());
            item.put("content", List.of(words));
            items.add(item);
        }
        for (var call : message.toolCalls()) {
            var item = item("function_call", "fc_");
            item.put("call_id", call.id());
            item.put("name", call.name());
            item.put("arguments", call.arguments());
            item.put("status", "completed");
            items.add(item);
        }
        return items;
    }

    private Map<String, Object> item(String type, String prefix) {
        var item = new LinkedHashMap<String, Object>();
        item.put("id", prefix + made++);
        item.put("type", type);
        return item;
    }

    /** Its output is text. */
    private static Map<String, Object> output(ChatMessage message) {
        if (!message.onlyText()) {
            throw new NoSuchContentException();
        }
        var item = new LinkedHashMap<String, Object>();
        item.put("type", "function_call_output");
        item.put("call_id", message.toolCallId() == null ? "" : message.toolCallId());
        item.put("output", message.text() == null ? "" : message.text());
        return item;
    }

    private Map<String, Object> given(ChatMessage message) {
        var item = new LinkedHashMap<String, Object>();
        item.put("type", "message");
        item.put("role", message.role());
        if (message.onlyText()) {
            item.put("content", message.text() == null ? "" : message.text());
        } else {
            item.put("content", message.parts().stream().map(this::part).toList());
        }
        return item;
    }

    private Map<String, Object> part(Part part) {
        return switch (part) {
            case Part.Text words -> Map.of("type", "input_text", "text", words.text());
            case Part.Image image ->
                Map.of("type", "input_image", "image_url", images.address(image), "detail", "auto");
            case Part.Other _ -> throw new NoSuchContentException();
        };
    }

    /** @param tools of chat completions, or null */
    List<Map<String, Object>> tools(List<Map<String, Object>> tools) {
        var items = new ArrayList<Map<String, Object>>();
        for (var tool : tools == null ? List.<Map<String, Object>>of() : tools) {
            JsonNode function = Json.MAPPER.valueToTree(tool).path("function");
            var item = new LinkedHashMap<String, Object>();
            item.put("type", "function");
            item.put("name", function.path("name").asText(""));
            item.put("description", function.path("description").textValue());
            item.put("parameters", function.path("parameters").isObject() ? function.get("parameters") : null);
            item.put("strict", function.path("strict").isBoolean() ? function.get("strict") : null);
            items.add(item);
        }
        return items;
    }
}
