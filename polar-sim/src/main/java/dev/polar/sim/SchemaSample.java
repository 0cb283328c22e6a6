package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.random.RandomGenerator;

/** A value that fits a JSON schema, as a grammar would make a model write: required properties only. References are not followed. */
final class SchemaSample {
    private static final List<String> WORDS =
            List.of("first", "value", "main", "report", "north", "silver", "seven", "open");
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private SchemaSample() {}

    static JsonNode object(JsonNode schema, RandomGenerator random) {
        ObjectNode out = Json.object();
        for (JsonNode name : schema.path("required")) {
            out.set(name.asText(), value(schema.path("properties").path(name.asText()), random));
        }
        return out;
    }

    static JsonNode value(JsonNode schema, RandomGenerator random) {
        if (schema.path("enum").size() > 0) {
            return schema.get("enum").get(random.nextInt(schema.get("enum").size()));
        }
        return switch (schema.path("type").asText("string")) {
            case "integer" -> NODES.numberNode(random.nextInt(1, 10));
            case "number" -> NODES.numberNode(random.nextInt(1, 100) / 4.0);
            case "boolean" -> NODES.booleanNode(random.nextBoolean());
            case "null" -> NODES.nullNode();
            case "array" -> {
                ArrayNode array = Json.array();
                for (int left = Math.max(1, schema.path("minItems").asInt(1)); left > 0; left--) {
                    array.add(value(schema.path("items"), random));
                }
                yield array;
            }
            case "object" -> object(schema, random);
            default -> NODES.textNode(WORDS.get(random.nextInt(WORDS.size())));
        };
    }
}
