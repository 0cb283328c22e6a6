package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.polar.continuation.Canonical;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tools that a session's agent has declared, as it first wrote each. One that says the same in another order of keys goes upstream as it did the first time, so that the prompt starts with the
 * same ids. Lives as long as its session. Thread-safe.
 */
final class ToolSchemas {
    private final Map<Canonical, JsonNode> first = new ConcurrentHashMap<>();

    /** Replaces each tool by its first form. */
    void settle(ArrayNode tools) {
        for (int i = 0; i < tools.size(); i++) {
            var tool = tools.get(i);
            var known = first.putIfAbsent(Canonical.of(tool), tool);
            if (known != null) {
                tools.set(i, known);
            }
        }
    }
}
