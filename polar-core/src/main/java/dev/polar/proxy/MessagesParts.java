package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;

/** Anthropic's content blocks as an engine's content parts. */
final class MessagesParts {
    private MessagesParts() {}

    /**
     * Adds a block of text or a picture.
     *
     * @throws RefusedException that names a block that cannot be served
     */
    static void add(ArrayNode parts, JsonNode block) {
        var type = block.path("type").asText("");
        switch (type) {
            case "text" -> text(parts, block.path("text").asText(""));
            case "image" -> image(parts, block.path("source"));
            case "document" -> document(parts, block);
            case "search_result" -> {
                text(
                        parts,
                        block.path("title").asText("") + " "
                                + block.path("source").asText(""));
                block.path("content").forEach(inner -> add(parts, inner));
            }
            case "tool_reference" -> text(parts, block.path("tool_name").asText(""));
            default ->
                throw RefusedException.invalid("messages", "a block of type '" + type + "' cannot be served here");
        }
    }

    private static void text(ArrayNode parts, String text) {
        parts.addObject().put("type", "text").put("text", text);
    }

    private static void image(ArrayNode parts, JsonNode source) {
        var url = switch (source.path("type").asText("")) {
            case "base64" -> {
                var data = source.path("data").asText("");
                yield data.startsWith("data:")
                        ? data
                        : "data:" + source.path("media_type").asText("image/png") + ";base64," + data;
            }
            case "url" -> source.path("url").asText("");
            default -> throw RefusedException.invalid("messages", "an image's source must be of type base64 or url");
        };
        parts.addObject().put("type", "image_url").putObject("image_url").put("url", url);
    }

    private static void document(ArrayNode parts, JsonNode block) {
        var source = block.path("source");
        switch (source.path("type").asText("")) {
            case "text" -> text(parts, source.path("data").asText(""));
            case "content" -> {
                if (source.path("content").isTextual()) {
                    text(parts, source.path("content").textValue());
                } else {
                    source.path("content").forEach(inner -> add(parts, inner));
                }
            }
            default ->
                throw RefusedException.invalid(
                        "messages",
                        "a document can be served as text only, not as '"
                                + source.path("type").asText("") + "'");
        }
    }
}
