package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Google's messages in JSON: each key may be spelled {@code likeThis} or {@code like_this}, and null is the same as absent. */
final class GoogleFields {
    private GoogleFields() {}

    /**
     * The members of a message with keys {@code likeThis}; values are shared. Not for maps whose keys are the agent's own.
     *
     * @throws RefusedException where it is no object
     */
    static ObjectNode of(JsonNode message, String path) {
        if (!message.isObject()) {
            throw RefusedException.invalid(path, "must be an object");
        }
        var fields = JsonNodeFactory.instance.objectNode();
        for (var member : message.properties()) {
            if (!member.getValue().isNull()) {
                fields.set(camel(member.getKey()), member.getValue());
            }
        }
        return fields;
    }

    /** The same; without members where there is none. */
    static ObjectNode optional(JsonNode message, String path) {
        return message.isMissingNode() ? JsonNodeFactory.instance.objectNode() : of(message, path);
    }

    /** A list; empty where there is none. */
    static ArrayNode list(JsonNode list, String path) {
        if (list.isMissingNode()) {
            return JsonNodeFactory.instance.arrayNode();
        }
        if (list instanceof ArrayNode array) {
            return array;
        }
        throw RefusedException.invalid(path, "must be a list");
    }

    /** A string; empty where there is none. */
    static String text(JsonNode text, String path) {
        if (text.isMissingNode()) {
            return "";
        }
        if (!text.isTextual()) {
            throw RefusedException.invalid(path, "must be a string");
        }
        return text.textValue();
    }

    static boolean flag(JsonNode flag, String path) {
        if (!flag.isMissingNode() && !flag.isBoolean()) {
            throw RefusedException.invalid(path, "must be true or false");
        }
        return flag.asBoolean(false);
    }

    private static String camel(String key) {
        if (key.indexOf('_') < 0) {
            return key;
        }
        var camel = new StringBuilder(key.length());
        boolean raise = false;
        for (int i = 0; i < key.length(); i++) {
            char letter = key.charAt(i);
            if (letter == '_' && i > 0) {
                raise = true;
            } else if (letter != '_') {
                camel.append(raise ? Character.toUpperCase(letter) : letter);
                raise = false;
            }
        }
        return camel.toString();
    }
}
