package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.Set;

/**
 * Google's schemas as JSON Schema. They are a part of OpenAPI 3.0: types in upper case, {@code nullable}, limits as strings, an order of properties beside them. A JSON Schema comes out as it
 * went in, without its {@code $schema}. Key order stays.
 */
final class GoogleSchemas {
    private static final Set<String> TYPES =
            Set.of("string", "number", "integer", "boolean", "array", "object", "null");

    private static final Set<String> LIMITS =
            Set.of("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties");

    private GoogleSchemas() {}

    /** {@code schema} is not changed. */
    static ObjectNode jsonSchema(JsonNode schema, String path) {
        if (!schema.isObject()) {
            throw RefusedException.invalid(path, "must be an object");
        }
        var converted = (ObjectNode) converted(schema);
        converted.remove("$schema");
        return converted;
    }

    private static JsonNode converted(JsonNode schema) {
        if (!schema.isObject()) {
            return schema;
        }
        var json = JsonNodeFactory.instance.objectNode();
        for (var member : schema.properties()) {
            member(json, member.getKey(), member.getValue());
        }
        var nullable = schema.path("nullable");
        if (nullable.isBoolean()) {
            json.remove("nullable");
            if (nullable.booleanValue()) {
                allowNull(json);
            }
        }
        return json;
    }

    private static void member(ObjectNode json, String key, JsonNode value) {
        switch (key) {
            case "type" -> type(json, value);
            case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas" ->
                json.set(key, value.isObject() ? each((ObjectNode) value) : value);
            case "anyOf", "any_of" -> json.set("anyOf", each(value));
            case "oneOf", "allOf", "prefixItems" -> json.set(key, each(value));
            case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames" ->
                json.set(key, value.isArray() ? each(value) : converted(value));
            case "format" -> {
                if (!"enum".equals(value.textValue())) {
                    json.set(key, value);
                }
            }
            case "propertyOrdering", "property_ordering" -> {
                // says how an answer is to be ordered, which no JSON Schema can
            }
            default -> json.set(key, LIMITS.contains(key) ? number(value) : value);
        }
    }

    private static void type(ObjectNode json, JsonNode type) {
        if (!type.isTextual()) {
            json.set("type", type);
            return;
        }
        var word = type.textValue().toLowerCase(Locale.ROOT);
        if (TYPES.contains(word)) {
            json.put("type", word);
        } else if (!word.equals("type_unspecified")) {
            json.set("type", type);
        }
    }

    private static ObjectNode each(ObjectNode schemas) {
        var each = JsonNodeFactory.instance.objectNode();
        schemas.properties().forEach(member -> each.set(member.getKey(), converted(member.getValue())));
        return each;
    }

    private static JsonNode each(JsonNode schemas) {
        if (!schemas.isArray()) {
            return schemas;
        }
        var each = JsonNodeFactory.instance.arrayNode(schemas.size());
        schemas.forEach(schema -> each.add(converted(schema)));
        return each;
    }

    /** Google writes 64-bit numbers as strings. */
    private static JsonNode number(JsonNode value) {
        return value.isTextual() && value.textValue().matches("\\d{1,18}")
                ? JsonNodeFactory.instance.numberNode(Long.parseLong(value.textValue()))
                : value;
    }

    private static void allowNull(ObjectNode json) {
        if (json.path("type").isTextual()) {
            var types = JsonNodeFactory.instance.arrayNode();
            types.add(json.get("type")).add("null");
            json.set("type", types);
        }
        if (json.get("enum") instanceof ArrayNode values) {
            json.set("enum", values.deepCopy().addNull());
        }
        if (json.get("anyOf") instanceof ArrayNode choices) {
            choices.addObject().put("type", "null");
        }
    }
}
