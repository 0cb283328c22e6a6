package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Set;
import java.util.regex.Pattern;

/** Content of Responses items as an engine's content parts. */
final class ResponsesParts {
    private static final Set<String> DETAILS = Set.of("auto", "low", "high");

    /** Media types whose bytes are text. */
    private static final Pattern TEXTUAL = Pattern.compile("text/.*|application/(json|xml|yaml|x-yaml|javascript)");

    private ResponsesParts() {}

    /**
     * A content, which is a string or a list of parts; none is no parts.
     *
     * @throws RefusedException that names a part that cannot be served
     */
    static ArrayNode of(JsonNode content, String path) {
        var parts = JsonNodeFactory.instance.arrayNode();
        if (content.isTextual()) {
            text(parts, content.textValue());
        } else if (content.isArray()) {
            for (int i = 0; i < content.size(); i++) {
                part(parts, content.get(i), path + "[" + i + "]");
            }
        } else if (!content.isMissingNode() && !content.isNull()) {
            throw RefusedException.invalid(path, "must be a string or a list of parts");
        }
        return parts;
    }

    private static void part(ArrayNode parts, JsonNode part, String path) {
        var type = part.path("type").asText("");
        switch (type) {
            case "input_text", "output_text", "text", "summary_text" -> text(parts, string(part, "text", path));
            case "refusal" -> text(parts, string(part, "refusal", path));
            case "input_image" -> image(parts, part, path);
            case "input_file" -> file(parts, part, path);
            case "" -> throw RefusedException.invalid(path + ".type", "is required");
            default -> throw RefusedException.invalid(path, "a part of type '" + type + "' cannot be served here");
        }
    }

    private static String string(JsonNode part, String key, String path) {
        var value = part.path(key);
        if (!value.isTextual()) {
            throw RefusedException.invalid(path + "." + key, "must be a string");
        }
        return value.textValue();
    }

    private static void text(ArrayNode parts, String text) {
        parts.addObject().put("type", "text").put("text", text);
    }

    private static void image(ArrayNode parts, JsonNode part, String path) {
        var url = part.path("image_url").isObject() ? part.path("image_url").path("url") : part.path("image_url");
        if (!url.isTextual()) {
            throw RefusedException.invalid(
                    path + ".image_url", "is required: pictures by file_id cannot be served here");
        }
        var image = parts.addObject().put("type", "image_url").putObject("image_url");
        image.put("url", url.textValue());
        var detail = part.path("detail").asText("");
        if (DETAILS.contains(detail)) {
            image.put("detail", detail);
        }
    }

    /** A file whose bytes are text is read to the model; engines take no others. */
    private static void file(ArrayNode parts, JsonNode part, String path) {
        var data = part.path("file_data").asText("");
        int comma = data.indexOf(',');
        if (!data.startsWith("data:") || comma < 0) {
            throw RefusedException.invalid(
                    path + ".file_data", "must be a data: URL: files by file_id or file_url cannot be served here");
        }
        var head = data.substring("data:".length(), comma);
        var media = head.split(";", 2)[0];
        if (media.startsWith("image/")) {
            parts.addObject().put("type", "image_url").putObject("image_url").put("url", data);
            return;
        }
        if (!TEXTUAL.matcher(media).matches() || !head.endsWith(";base64")) {
            throw RefusedException.invalid(
                    path + ".file_data", "a file of type '" + head + "' cannot be served: send text in base64");
        }
        var name = part.path("filename").asText("");
        var text = decoded(data.substring(comma + 1), path);
        text(parts, name.isEmpty() ? text : name + "\n" + text);
    }

    private static String decoded(String base64, String path) {
        try {
            return new String(Base64.getMimeDecoder().decode(base64), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notBase64) {
            throw RefusedException.invalid(path + ".file_data", "is not base64");
        }
    }

    /** As a message's content: its text where it is all text. */
    static JsonNode content(ArrayNode parts) {
        for (var part : parts) {
            if (!isText(part)) {
                return parts;
            }
        }
        return JsonNodeFactory.instance.textNode(PromptText.of(parts));
    }

    static boolean isText(JsonNode part) {
        return part.path("type").asText().equals("text");
    }

    /** A message of the user's or the system's. */
    static ObjectNode message(String role, ArrayNode parts) {
        var message = JsonNodeFactory.instance.objectNode().put("role", role);
        message.set("content", content(parts));
        return message;
    }
}
