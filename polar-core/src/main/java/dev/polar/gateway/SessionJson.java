package dev.polar.gateway;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.polar.wire.Json;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Answers that can be large: written from the disk as they are sent. */
final class SessionJson {
    private SessionJson() {}

    /** A session's view, with its result from {@code file} once it has ended. */
    static StreamingOutput withResult(Map<String, Object> view, Session session, Optional<Path> file) {
        return out -> {
            try (var json = generator(out)) {
                json.writeStartObject();
                for (var entry : view.entrySet()) {
                    json.writePOJOField(entry.getKey(), entry.getValue());
                }
                if (session.status().terminal() && file.isPresent()) {
                    json.writeFieldName("result");
                    copy(file.get(), json);
                }
                json.writeEndObject();
            }
        };
    }

    /** A result as it lies on the disk. */
    static StreamingOutput file(Path file) {
        return out -> Files.copy(file, out);
    }

    /** A session that never recorded anything. */
    static StreamingOutput noCompletions(String sessionId, String nodeId) {
        return out -> {
            try (var json = generator(out)) {
                json.writePOJO(Map.of("session_id", sessionId, "node_id", nodeId, "completions", List.of()));
            }
        };
    }

    /** Token by token: the file is never in memory as a whole. */
    private static void copy(Path file, JsonGenerator json) throws IOException {
        try (var parser = Json.MAPPER.createParser(file.toFile())) {
            parser.nextToken();
            json.copyCurrentStructure(parser);
        }
    }

    private static JsonGenerator generator(OutputStream out) throws IOException {
        return Json.MAPPER.createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    }
}
