package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.inference.JsonTree;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Frames of a server-sent event stream, one after the other. Not thread-safe. */
final class Frames {
    static final String CONTENT_TYPE = "text/event-stream; charset=utf-8";

    /** A comment: no event, for nobody's eyes. */
    static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] EVENT = "event: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DATA = "data: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END = "\n\n".getBytes(StandardCharsets.US_ASCII);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream(1024);

    /** An event without a name. */
    Frames data(JsonNode data) {
        return data(JsonTree.write(data));
    }

    Frames data(byte[] data) {
        out.writeBytes(DATA);
        out.writeBytes(data);
        out.writeBytes(END);
        return this;
    }

    /** An event whose name is its {@code type}. */
    Frames typed(JsonNode data) {
        out.writeBytes(EVENT);
        out.writeBytes(data.path("type").asText().getBytes(StandardCharsets.UTF_8));
        out.write('\n');
        return data(data);
    }

    byte[] bytes() {
        return out.toByteArray();
    }
}
