package dev.polar.result;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.polar.wire.Json;
import java.io.IOException;
import java.io.InputStream;

/**
 * Which run of its task a session's result is of: a task's id may be submitted again, and the files of both runs stand side by side.
 *
 * @param taskId null where it does not say, as a task's status that lists results does not
 * @param submittedAt epoch seconds; 0 where it does not say, as results of older servers do not
 */
public record ResultRun(String taskId, double submittedAt) {
    /**
     * Reads to the end; traces are passed over.
     *
     * @param in is closed
     * @throws IOException where it cannot be read or is no JSON
     */
    public static ResultRun read(InputStream in) throws IOException {
        String taskId = null;
        double submittedAt = 0;
        try (var parser = Json.MAPPER.getFactory().createParser(in)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return new ResultRun(null, 0);
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                var key = parser.currentName();
                var token = parser.nextToken();
                if (key.equals("results")) {
                    return new ResultRun(null, 0);
                } else if (key.equals("task_id")) {
                    taskId = parser.getValueAsString();
                } else if (key.equals("metadata") && token == JsonToken.START_OBJECT) {
                    submittedAt = submittedAt(parser);
                } else {
                    parser.skipChildren();
                }
            }
        }
        return new ResultRun(taskId, submittedAt);
    }

    private static double submittedAt(JsonParser parser) throws IOException {
        double submittedAt = 0;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            var key = parser.currentName();
            parser.nextToken();
            if (key.equals("submitted_at")) {
                submittedAt = parser.getValueAsDouble(0);
            }
            parser.skipChildren();
        }
        return submittedAt;
    }
}
