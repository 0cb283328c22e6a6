package dev.polar.gateway;

import dev.polar.wire.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Answers with a result, which can be large: it goes from the disk to the caller as it lies there. */
final class SessionJson {
    private SessionJson() {}

    /** Writes a session's view with its result. Closes {@code result}, not {@code out}. */
    static void withResult(Map<String, Object> view, InputStream result, OutputStream out) throws IOException {
        try (result) {
            var fields = Json.MAPPER.writeValueAsString(view);
            out.write((fields.substring(0, fields.length() - 1) + ",\"result\":").getBytes(StandardCharsets.UTF_8));
            result.transferTo(out);
            out.write('}');
        }
    }

    /** Writes a result alone. Closes {@code result}, not {@code out}. */
    static void result(InputStream result, OutputStream out) throws IOException {
        try (result) {
            result.transferTo(out);
        }
    }
}
