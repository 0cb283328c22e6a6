package dev.polar.gateway;

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
 */
record ResultHead(SessionStatus status, String error) {
    /** Reads past everything large. */
    static ResultHead read(Path file) throws IOException {
        SessionStatus status = null;
        String error = null;
        try (var parser = Json.MAPPER.createParser(file.toFile())) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                var name = parser.currentName();
                parser.nextToken();
                if ("status".equals(name)) {
                    status = SessionStatus.valueOf(parser.getText());
                } else if ("error".equals(name)) {
                    error = parser.getValueAsString();
                }
                parser.skipChildren();
            }
        }
        if (status == null) {
            throw new IOException(file + " is no session result");
        }
        return new ResultHead(status, error);
    }
}
