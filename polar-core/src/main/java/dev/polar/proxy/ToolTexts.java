package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.continuation.Canonical;
import dev.polar.inference.JsonTree;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tool calls that a session's policy made, as it wrote them. Agents send them back in other spacing; the model's own text goes upstream instead, so that the next prompt goes on from this
 * one. Lives as long as its session. Thread-safe.
 */
final class ToolTexts {
    private final Map<String, Sampled> byId = new ConcurrentHashMap<>();
    private final Map<Content, String> byContent = new ConcurrentHashMap<>();

    private record Sampled(String name, String arguments) {}

    /** A call by what it says: equal for equal JSON. */
    private record Content(String name, Canonical arguments) {}

    /** The policy made this call. */
    void sampled(String id, String name, String arguments) {
        byId.put(id, new Sampled(name, arguments));
        var canonical = canonical(arguments);
        if (canonical != null) {
            byContent.put(new Content(name, canonical), arguments);
        }
    }

    /**
     * The text that the model wrote for a call that an agent sends back; {@code arguments} itself where it is another one, or was edited.
     *
     * @param id null where the agent sent none
     */
    String own(String id, String name, String arguments) {
        var known = id == null ? null : byId.get(id);
        if (known != null) {
            return known.name.equals(name) && same(known.arguments, arguments) ? known.arguments : arguments;
        }
        if (byContent.isEmpty()) {
            return arguments;
        }
        var canonical = canonical(arguments);
        return canonical == null ? arguments : byContent.getOrDefault(new Content(name, canonical), arguments);
    }

    private static boolean same(String one, String other) {
        if (one.equals(other)) {
            return true;
        }
        var canonical = canonical(one);
        if (canonical != null) {
            return canonical.equals(canonical(other));
        }
        // what did not parse was shown to the agent as a JSON string
        var quoted = tree(other);
        return quoted != null && quoted.isTextual() && quoted.textValue().equals(one);
    }

    private static Canonical canonical(String arguments) {
        var tree = tree(arguments);
        return tree == null ? null : Canonical.of(tree);
    }

    private static JsonNode tree(String json) {
        try {
            return JsonTree.read(json);
        } catch (IOException notJson) {
            return null;
        }
    }
}
