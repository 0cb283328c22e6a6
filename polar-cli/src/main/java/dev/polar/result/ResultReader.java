package dev.polar.result;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.Trace;
import dev.polar.wire.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads session results, or a task's status that lists them, as a stream. Traces are handed on one by one, as long as a result names its session before its trajectory and the trajectory's metadata
 * before its traces, as those of this server do; of any other, the session's traces are held until its end.
 */
public final class ResultReader {
    /** Who gets what is read. */
    public interface Visitor {
        /** Once per session, before its traces. */
        void session(SessionHead session) throws IOException;

        /** In order of the result. */
        void trace(SessionTrace trace) throws IOException;
    }

    /** What follows in the stream is no mistake. */
    private static final ObjectReader TRACE =
            Json.MAPPER.readerFor(Trace.class).without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private static final ObjectReader METADATA =
            Json.MAPPER.readerFor(JsonNode.class).without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final JsonParser parser;
    private final Visitor visitor;

    private ResultReader(JsonParser parser, Visitor visitor) {
        this.parser = parser;
        this.visitor = visitor;
    }

    /**
     * Reads to the end.
     *
     * @param in is closed
     * @param name of the source, for messages
     * @return the keys beside {@code results}, of a task's status; an empty object for a session's result
     * @throws ResultException where it is no result
     * @throws IOException where it cannot be read, or the visitor failed
     */
    public static JsonNode read(InputStream in, String name, Visitor visitor) throws IOException {
        try (var parser = Json.MAPPER.getFactory().createParser(in)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new ResultException(name + ": is no session result and no task: a JSON object was expected");
            }
            return new ReadResult(new ResultReader(parser, visitor), name).whole();
        } catch (JacksonException broken) {
            throw new ResultException(
                    name + ": is not the JSON of a session result: " + broken.getOriginalMessage(), broken);
        }
    }

    /** One object: a session's result, or a task that lists some. */
    private static final class ReadResult {
        private final ResultReader reader;
        private final JsonParser parser;
        private final String name;
        private final ObjectNode rest = Json.MAPPER.createObjectNode();
        private final List<Trace> held = new ArrayList<>();
        private String sessionId;
        private String taskId;
        private String status;
        private JsonNode metadata;
        private boolean task;
        private boolean begun;
        private int traces;

        ReadResult(ResultReader reader, String name) {
            this.reader = reader;
            this.parser = reader.parser;
            this.name = name;
        }

        /** From behind its opening brace to behind its end. */
        JsonNode whole() throws IOException {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                var key = parser.currentName();
                parser.nextToken();
                switch (key) {
                    case "session_id" -> sessionId = parser.getValueAsString();
                    case "task_id" -> taskId = parser.getValueAsString();
                    case "status" -> status = parser.getValueAsString();
                    case "trajectory" -> trajectory();
                    case "results" -> results();
                    default -> parser.skipChildren();
                }
            }
            if (!task) {
                begin();
                for (var trace : held) {
                    hand(trace);
                }
            }
            return rest.put("task_id", taskId).put("status", status);
        }

        private void results() throws IOException {
            if (parser.currentToken() != JsonToken.START_ARRAY) {
                throw new ResultException(name + ": results: is no list: this is no task");
            }
            task = true;
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                if (parser.currentToken() != JsonToken.START_OBJECT) {
                    throw new ResultException(name + ": results: something in it is no session result");
                }
                new ReadResult(reader, name).whole();
            }
        }

        private void trajectory() throws IOException {
            if (parser.currentToken() != JsonToken.START_OBJECT) {
                parser.skipChildren();
                return;
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                var key = parser.currentName();
                var token = parser.nextToken();
                if (key.equals("metadata")) {
                    metadata = METADATA.readValue(parser);
                } else if (key.equals("traces") && token == JsonToken.START_ARRAY) {
                    traces();
                } else {
                    parser.skipChildren();
                }
            }
        }

        private void traces() throws IOException {
            boolean known = sessionId != null && taskId != null && status != null && metadata != null;
            while (parser.nextToken() == JsonToken.START_OBJECT) {
                var trace = TRACE.<Trace>readValue(parser);
                if (known) {
                    begin();
                    hand(trace);
                } else {
                    held.add(trace);
                }
            }
        }

        private void begin() throws IOException {
            if (begun) {
                return;
            }
            begun = true;
            if (sessionId == null || status == null) {
                throw new ResultException(name + ": " + (sessionId == null ? "session_id" : "status")
                        + ": is required: this is no session result");
            }
            reader.visitor.session(head());
        }

        private void hand(Trace trace) throws IOException {
            reader.visitor.trace(new SessionTrace(head(), traces++, trace));
        }

        private SessionHead head() {
            return new SessionHead(
                    sessionId, taskId, status, metadata == null ? Json.MAPPER.createObjectNode() : metadata);
        }
    }
}
