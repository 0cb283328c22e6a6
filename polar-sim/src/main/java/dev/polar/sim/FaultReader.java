package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import java.util.Set;

/** Reads a fault from a scenario or from {@code POST /sim/faults}. */
final class FaultReader {
    static final Set<String> KEYS =
            Set.of("kind", "after_tokens", "status", "shape", "message", "retry_after", "seconds");

    private FaultReader() {}

    /** The fault in {@code node}; {@code where} names it in errors. */
    static Fault read(JsonNode node, String where) {
        ScenarioReader.known(node, where, KEYS);
        int status = node.path("status").asInt(500);
        if (status < 400 || status > 599) {
            throw new IllegalArgumentException(where + ".status is " + status + ", but must be 400 to 599");
        }
        return new Fault(
                Fault.Kind.of(node.path("kind").asText("status")),
                node.path("after_tokens").asInt(0),
                status,
                shape(node.path("shape").asText("engine"), where),
                node.path("message").asText(""),
                node.path("retry_after").asInt(-1),
                node.path("seconds").asInt(0));
    }

    private static Fault.Shape shape(String name, String where) {
        for (Fault.Shape shape : Fault.Shape.values()) {
            if (shape.name().toLowerCase(Locale.ROOT).equals(name)) {
                return shape;
            }
        }
        throw new IllegalArgumentException(where + ".shape is '" + name + "': use engine, detail, text, html or empty");
    }
}
