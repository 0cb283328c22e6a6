package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;

/** Texts of messages, and the rules for system messages that all dialects share. */
final class PromptText {
    /** What stands between two text parts of one message: as vLLM joins them for templates that take strings. */
    static final String BETWEEN_PARTS = "\n";

    private static final String BETWEEN_SYSTEMS = "\n\n";

    private PromptText() {}

    /** The text of a content: a string, or parts of which the texts count. */
    static String of(JsonNode content) {
        if (content.isTextual()) {
            return content.textValue();
        }
        var text = new StringBuilder();
        for (var part : content) {
            if (part.path("text").isTextual()) {
                text.append(text.isEmpty() ? "" : BETWEEN_PARTS)
                        .append(part.path("text").textValue());
            }
        }
        return text.toString();
    }

    /** The leading system messages become one, in order; later ones keep their place. */
    static ArrayNode joinLeadingSystem(ArrayNode messages) {
        int leading = 0;
        while (leading < messages.size() && isSystem(messages.get(leading))) {
            leading++;
        }
        if (leading < 2) {
            return messages;
        }
        var texts = new ArrayList<String>();
        for (int i = 0; i < leading; i++) {
            texts.add(of(messages.get(i).path("content")));
        }
        var joined = JsonNodeFactory.instance.arrayNode(messages.size());
        joined.add(message("system", String.join(BETWEEN_SYSTEMS, texts)));
        for (int i = leading; i < messages.size(); i++) {
            joined.add(messages.get(i));
        }
        return joined;
    }

    static ObjectNode message(String role, String content) {
        return JsonNodeFactory.instance.objectNode().put("role", role).put("content", content);
    }

    private static boolean isSystem(JsonNode message) {
        return "system".equals(message.path("role").textValue());
    }

    private static boolean isUser(JsonNode message) {
        return "user".equals(message.path("role").textValue());
    }

    /** The leading system text, or the empty string. */
    static String leadingSystem(ArrayNode messages) {
        return !messages.isEmpty() && isSystem(messages.get(0))
                ? of(messages.get(0).path("content"))
                : "";
    }

    /** The first user message's text, or the empty string. */
    static String firstUser(ArrayNode messages) {
        for (var message : messages) {
            if (isUser(message)) {
                return of(message.path("content"));
            }
        }
        return "";
    }

    /** The last user message's text, or the empty string. */
    static String lastUser(ArrayNode messages) {
        for (int i = messages.size() - 1; i >= 0; i--) {
            if (isUser(messages.get(i))) {
                return of(messages.get(i).path("content"));
            }
        }
        return "";
    }
}
