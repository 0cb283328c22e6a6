package dev.polar.gateway;

import dev.polar.wire.Json;
import jakarta.ws.rs.core.StreamingOutput;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Answers that can be large: written from the disk as they are sent. */
final class SessionJson {
    private SessionJson() {}

    /** A session's view, with its result as it lies in {@code file}, once it has ended. */
    static StreamingOutput withResult(Map<String, Object> view, Session session, Optional<Path> file) {
        if (!session.status().terminal() || file.isEmpty()) {
            return out -> out.write(Json.MAPPER.writeValueAsBytes(view));
        }
        return out -> {
            var fields = Json.MAPPER.writeValueAsString(view);
            out.write((fields.substring(0, fields.length() - 1) + ",\"result\":").getBytes(StandardCharsets.UTF_8));
            Files.copy(file.get(), out);
            out.write('}');
        };
    }

    /** A result as it lies on the disk. */
    static StreamingOutput file(Path file) {
        return out -> Files.copy(file, out);
    }

    /** A session that never recorded anything. */
    static StreamingOutput noCompletions(String sessionId, String nodeId) {
        return out -> out.write(Json.MAPPER.writeValueAsBytes(
                Map.of("session_id", sessionId, "node_id", nodeId, "completions", List.of())));
    }
}
