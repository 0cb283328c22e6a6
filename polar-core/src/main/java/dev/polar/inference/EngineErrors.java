package dev.polar.inference;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Errors as engines and what stands before them write them: wrapped in {@code error}, flat, {@code detail}, a bare word, plain text, a page. */
final class EngineErrors {
    private static final int LONGEST = 4_000;

    private EngineErrors() {}

    static EngineException of(int status, byte[] body, String retryAfter, List<String> overflowMarks) {
        var tree = tree(body);
        var message = tree == null ? text(body) : message(tree);
        if (message == null || message.isBlank()) {
            message = "the engine answered " + status;
        }
        var shown = message;
        boolean overflow = (status == 400 || status == 413 || status == 422)
                && overflowMarks.stream().anyMatch(shown::contains);
        var kind = overflow
                ? EngineException.Kind.OVERFLOW
                : status < 500 ? EngineException.Kind.REFUSED : EngineException.Kind.FAILED;
        return new EngineException(kind, status, shown, retryAfter, tree == null ? null : param(tree), null);
    }

    /**
     * The error of a stream whose status was 200 before.
     *
     * @param error what a chunk has under {@code error}
     */
    static EngineException inStream(JsonNode error) {
        int code = error.path("code").asInt(0);
        boolean status = code >= 400 && code < 600;
        var message =
                error.isTextual() ? error.textValue() : error.path("message").asText(error.toString());
        return EngineException.of(EngineException.Kind.FAILED, status ? code : 502, message, null);
    }

    private static JsonNode tree(byte[] body) {
        try {
            return JsonTree.readLenient(body);
        } catch (IOException notJson) {
            return null;
        }
    }

    /** The message in an error body, or null where this is none. */
    static String message(JsonNode tree) {
        var error = tree.path("error");
        if (error.isTextual()) {
            return error.textValue();
        }
        if (error.isObject()) {
            return error.path("message").asText(error.toString());
        }
        if (tree.path("message").isTextual()) {
            return tree.path("message").textValue();
        }
        var detail = tree.path("detail");
        if (!detail.isMissingNode() && !detail.isNull()) {
            return detail.isTextual() ? detail.textValue() : detail.toString();
        }
        return tree.isTextual() ? tree.textValue() : null;
    }

    private static String param(JsonNode tree) {
        var wrapped = tree.path("error").path("param");
        return wrapped.isTextual() ? wrapped.textValue() : tree.path("param").textValue();
    }

    private static String text(byte[] body) {
        var text = new String(body, 0, Math.min(body.length, LONGEST), StandardCharsets.UTF_8).strip();
        return text.startsWith("<") ? page(text) : text;
    }

    /** The words of a page without its tags. */
    private static String page(String html) {
        var words = new StringBuilder();
        boolean inTag = false;
        for (int i = 0; i < html.length(); i++) {
            char c = html.charAt(i);
            if (c == '<' || c == '>') {
                inTag = c == '<';
                words.append(' ');
            } else if (!inTag) {
                words.append(c);
            }
        }
        return String.join(" ", words.toString().strip().split("\\s+"));
    }
}
