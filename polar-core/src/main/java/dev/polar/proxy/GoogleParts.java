package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Set;

/** Google's parts as an engine's content parts. */
final class GoogleParts {
    private static final List<String> KINDS =
            List.of("functionCall", "functionResponse", "inlineData", "fileData", "text");

    /** Says something about a part and is none. */
    private static final Set<String> BESIDE =
            Set.of("thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata");

    private GoogleParts() {}

    /**
     * What a part is: the key of its data; empty for one that has only a signature.
     *
     * @param part with keys as {@link GoogleFields} gives them
     * @throws RefusedException that names a part which cannot be served
     */
    static String kind(ObjectNode part, String path) {
        for (var kind : KINDS) {
            if (part.has(kind)) {
                return kind;
            }
        }
        for (var member : part.properties()) {
            if (!BESIDE.contains(member.getKey())) {
                throw RefusedException.invalid(path, "a part with '" + member.getKey() + "' cannot be served here");
            }
        }
        if (!part.has("thoughtSignature")) {
            throw RefusedException.invalid(
                    path, "must have text, inlineData, fileData, functionCall or functionResponse");
        }
        return "";
    }

    /** Adds text or a picture. */
    static void add(ArrayNode parts, ObjectNode part, String path) {
        switch (kind(part, path)) {
            case "text" -> text(parts, GoogleFields.text(part.get("text"), path + ".text"));
            case "inlineData" -> inline(parts, part.get("inlineData"), path + ".inlineData");
            case "fileData" -> file(parts, part.get("fileData"), path + ".fileData");
            case "" -> {
                // nothing is said
            }
            default -> throw RefusedException.invalid(path, "must be text or data here");
        }
    }

    static void text(ArrayNode parts, String text) {
        parts.addObject().put("type", "text").put("text", text);
    }

    private static void inline(ArrayNode parts, JsonNode sent, String path) {
        var blob = GoogleFields.of(sent, path);
        var type = GoogleFields.text(blob.path("mimeType"), path + ".mimeType");
        var data = standard(GoogleFields.text(blob.path("data"), path + ".data"));
        if (type.startsWith("image/")) {
            image(parts, "data:" + type + ";base64," + data);
        } else if (type.startsWith("text/")) {
            text(parts, decoded(data, path));
        } else {
            throw RefusedException.invalid(
                    path + ".mimeType", "'" + type + "' cannot be served here: send an image or text");
        }
    }

    private static void file(ArrayNode parts, JsonNode sent, String path) {
        var file = GoogleFields.of(sent, path);
        var type = GoogleFields.text(file.path("mimeType"), path + ".mimeType");
        var uri = GoogleFields.text(file.path("fileUri"), path + ".fileUri");
        if (!type.isEmpty() && !type.startsWith("image/")) {
            throw RefusedException.invalid(path + ".mimeType", "'" + type + "' cannot be served here: send an image");
        }
        if (!uri.startsWith("https://") && !uri.startsWith("http://") && !uri.startsWith("data:")) {
            throw RefusedException.invalid(
                    path + ".fileUri", "must be an http, https or data URL: '" + uri + "' cannot be fetched");
        }
        image(parts, uri);
    }

    private static void image(ArrayNode parts, String url) {
        parts.addObject().put("type", "image_url").putObject("image_url").put("url", url);
    }

    /** Google takes both alphabets of base64, engines take the standard one. */
    private static String standard(String base64) {
        return base64.replace('-', '+').replace('_', '/');
    }

    private static String decoded(String base64, String path) {
        try {
            return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notBase64) {
            throw RefusedException.invalid(path + ".data", "must be base64");
        }
    }
}
