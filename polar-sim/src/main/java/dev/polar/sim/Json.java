package dev.polar.sim;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;

/** JSON as the engines write it. */
final class Json {
    /** Characters of one string: an image comes as one. */
    private static final int MAX_TEXT = 256 << 20;

    /** Numbers are kept as they were written, so that arguments come back unchanged; what follows a document is an error. */
    static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(MAX_TEXT)
                            .build())
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
            .nodeFactory(JsonNodeFactory.withExactBigDecimals(true))
            .build();

    private static final ObjectWriter SPACED = MAPPER.writer(new Spaced());

    private Json() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static ArrayNode array() {
        return MAPPER.createArrayNode();
    }

    static ArrayNode ids(int[] ids) {
        ArrayNode array = MAPPER.createArrayNode();
        for (int id : ids) {
            array.add(id);
        }
        return array;
    }

    /** {@code ids}, or an explicit null where they were not asked for. */
    static JsonNode idsOrNull(boolean asked, int[] ids) {
        return asked ? ids(ids) : JsonNodeFactory.instance.nullNode();
    }

    static ArrayNode bytes(byte[] bytes) {
        ArrayNode array = MAPPER.createArrayNode();
        for (byte value : bytes) {
            array.add(value & 0xff);
        }
        return array;
    }

    /** With a space after each colon and comma, as Python's {@code json.dumps} writes it. */
    static String spaced(JsonNode node) {
        try {
            return SPACED.writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    static byte[] write(JsonNode node) {
        try {
            return MAPPER.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stateless, so one instance may serve all threads. */
    private static final class Spaced extends MinimalPrettyPrinter {
        @Override
        public void writeObjectFieldValueSeparator(JsonGenerator out) throws IOException {
            out.writeRaw(": ");
        }

        @Override
        public void writeObjectEntrySeparator(JsonGenerator out) throws IOException {
            out.writeRaw(", ");
        }

        @Override
        public void writeArrayValueSeparator(JsonGenerator out) throws IOException {
            out.writeRaw(", ");
        }
    }
}
