package dev.polar.gateway;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.polar.spi.SessionStatus;
import dev.polar.wire.Json;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What is wanted of a spooled result without holding it in memory.
 *
 * @param status terminal
 * @param error null where it completed
 * @param completions model calls in its record
 */
record ResultHead(SessionStatus status, String error, int completions) {
    /** Reads past everything large. */
    static ResultHead read(Path file) throws IOException {
        SessionStatus status = null;
        String error = null;
        int completions = 0;
        try (var parser = Json.MAPPER.createParser(file.toFile())) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                var name = parser.currentName();
                parser.nextToken();
                switch (name) {
                    case "status" -> status = SessionStatus.valueOf(parser.getText());
                    case "error" -> error = parser.getValueAsString();
                    case "trajectory" -> completions = completions(parser);
                    default -> parser.skipChildren();
                }
            }
        }
        if (status == null) {
            throw new IOException(file + " is no session result");
        }
        return new ResultHead(status, error, completions);
    }

    private static int completions(JsonParser parser) throws IOException {
        int count = 0;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean metadata = "metadata".equals(parser.currentName());
            parser.nextToken();
            if (metadata) {
                count = recordCount(parser);
            } else {
                parser.skipChildren();
            }
        }
        return count;
    }

    private static int recordCount(JsonParser parser) throws IOException {
        int count = 0;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean counted = "record_count".equals(parser.currentName());
            parser.nextToken();
            if (counted) {
                count = parser.getValueAsInt();
            } else {
                parser.skipChildren();
            }
        }
        return count;
    }
}
