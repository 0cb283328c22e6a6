package dev.polar.inference;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.wire.Json;
import java.io.IOException;
import java.io.InputStream;

/** JSON trees that are written as they were read: key order and the text of numbers stay. Thread-safe. */
public final class JsonTree {
    private static final StreamReadConstraints LIMITS = StreamReadConstraints.builder()
            .maxStringLength(Integer.MAX_VALUE)
            .maxNumberLength(1_000)
            .maxNestingDepth(500)
            .build();

    private static final JsonFactory STRICT = JsonFactory.builder()
            .streamReadConstraints(LIMITS)
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .build();

    /** An engine writes NaN and Infinity where its arithmetic failed. */
    static final JsonFactory LENIENT = JsonFactory.builder()
            .streamReadConstraints(LIMITS)
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private JsonTree() {}

    /**
     * One whole document.
     *
     * @throws IOException where it is none, or something follows it
     */
    public static JsonNode read(InputStream in) throws IOException {
        try (var parser = STRICT.createParser(in)) {
            return whole(parser);
        }
    }

    /** The same from text. */
    public static JsonNode read(String text) throws IOException {
        try (var parser = STRICT.createParser(text)) {
            return whole(parser);
        }
    }

    /** As the engines write it. */
    static JsonNode readLenient(byte[] body) throws IOException {
        try (var parser = LENIENT.createParser(body)) {
            return whole(parser);
        }
    }

    /** As bytes. */
    public static byte[] write(JsonNode tree) {
        try {
            return Json.MAPPER.writeValueAsBytes(tree);
        } catch (IOException impossible) {
            throw new IllegalStateException("a JSON tree could not be written", impossible);
        }
    }

    private static JsonNode whole(JsonParser parser) throws IOException {
        if (parser.nextToken() == null) {
            throw new JsonParseException(parser, "the body is empty; a JSON object was expected");
        }
        var tree = value(parser);
        if (parser.nextToken() != null) {
            throw new JsonParseException(parser, "something follows the JSON value");
        }
        return tree;
    }

    /** The value that starts at the current token; afterwards its last token is the current one. */
    static JsonNode value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> NODES.textNode(parser.getText());
            case VALUE_NUMBER_INT -> integer(parser);
            case VALUE_NUMBER_FLOAT -> decimal(parser);
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            case VALUE_NULL -> NODES.nullNode();
            default -> throw new JsonParseException(parser, "unexpected " + parser.currentToken());
        };
    }

    private static ObjectNode object(JsonParser parser) throws IOException {
        var object = NODES.objectNode();
        for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            parser.nextToken();
            object.set(name, value(parser));
        }
        return object;
    }

    private static ArrayNode array(JsonParser parser) throws IOException {
        var array = NODES.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(value(parser));
        }
        return array;
    }

    private static JsonNode integer(JsonParser parser) throws IOException {
        return switch (parser.getNumberType()) {
            case INT -> {
                int value = parser.getIntValue();
                yield value == 0 && parser.getTextLength() > 1
                        ? new NumberText(parser.getText())
                        : NODES.numberNode(value);
            }
            case LONG -> NODES.numberNode(parser.getLongValue());
            default -> NODES.numberNode(parser.getBigIntegerValue());
        };
    }

    private static JsonNode decimal(JsonParser parser) throws IOException {
        double value = parser.getDoubleValue();
        if (parser.isNaN()) {
            return NODES.nullNode();
        }
        var text = parser.getText();
        try {
            return Double.toString(value).equals(text) ? NODES.numberNode(value) : new NumberText(text);
        } catch (NumberFormatException outOfRange) {
            throw new JsonParseException(parser, "a number's exponent is out of range: " + outOfRange.getMessage());
        }
    }
}
