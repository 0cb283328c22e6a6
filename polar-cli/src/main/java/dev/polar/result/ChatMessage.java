package dev.polar.result;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.wire.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A chat message as engines take and give them, read.
 *
 * @param role {@code system}, {@code developer}, {@code user}, {@code assistant} or {@code tool}
 * @param parts empty where it has no content
 * @param reasoning null where it has none
 * @param name null where it has none
 * @param toolCallId of a tool's message, which call it answers; else null
 * @param toolCalls of an assistant's message
 */
public record ChatMessage(
        String role, List<Part> parts, String reasoning, String name, String toolCallId, List<ToolCall> toolCalls) {
    /** A piece of content. */
    public sealed interface Part {
        record Text(String text) implements Part {}

        /** @param url a data URL or an address */
        record Image(String url) implements Part {
            /** As a data URL says; null for any other. */
            public String mediaType() {
                int end = url.indexOf(';');
                return url.startsWith("data:") && end > 0 ? url.substring("data:".length(), end) : null;
            }
        }

        /** Sound, a file, or what else there will be. */
        public record Other(JsonNode said) implements Part {}
    }

    /** @param arguments as the model wrote them: JSON text, if it wrote well */
    public record ToolCall(String id, String name, String arguments) {
        /** The arguments as an object; empty where they are none. */
        public Optional<JsonNode> parsed() {
            try {
                return Optional.ofNullable(Json.MAPPER.readTree(arguments)).filter(JsonNode::isObject);
            } catch (JsonProcessingException notJson) {
                return Optional.empty();
            }
        }
    }

    public static ChatMessage of(Map<String, Object> message) {
        JsonNode said = Json.MAPPER.valueToTree(message);
        var calls = new ArrayList<ToolCall>();
        for (var call : said.path("tool_calls")) {
            var function = call.path("function");
            var arguments = function.path("arguments");
            calls.add(new ToolCall(
                    call.path("id").asText("call_" + calls.size()),
                    function.path("name").asText(""),
                    arguments.isTextual()
                            ? arguments.textValue()
                            : arguments.isMissingNode() ? "" : arguments.toString()));
        }
        var reasoning = said.path("reasoning_content").textValue();
        return new ChatMessage(
                said.path("role").asText(""),
                parts(said.path("content")),
                reasoning == null ? said.path("reasoning").textValue() : reasoning,
                said.path("name").textValue(),
                said.path("tool_call_id").textValue(),
                calls);
    }

    private static List<Part> parts(JsonNode content) {
        var parts = new ArrayList<Part>();
        if (content.isTextual()) {
            parts.add(new Part.Text(content.textValue()));
        }
        for (var part : content) {
            var url = part.path("image_url").path("url");
            if (part.isTextual()) {
                parts.add(new Part.Text(part.textValue()));
            } else if (part.path("text").isTextual()) {
                parts.add(new Part.Text(part.path("text").textValue()));
            } else if (url.isTextual()) {
                parts.add(new Part.Image(url.textValue()));
            } else {
                parts.add(new Part.Other(part));
            }
        }
        return parts;
    }

    /** All of its text, null where it has no content. */
    public String text() {
        if (parts.isEmpty()) {
            return null;
        }
        var text = new StringBuilder();
        for (var part : parts) {
            if (part instanceof Part.Text words) {
                text.append(words.text());
            }
        }
        return text.toString();
    }

    public boolean onlyText() {
        return parts.stream().allMatch(Part.Text.class::isInstance);
    }

    public List<Part.Image> images() {
        return parts.stream()
                .filter(Part.Image.class::isInstance)
                .map(Part.Image.class::cast)
                .toList();
    }

    public boolean isAssistant() {
        return role.equals("assistant");
    }
}
