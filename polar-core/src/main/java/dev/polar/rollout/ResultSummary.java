package dev.polar.rollout;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.polar.spi.SessionStatus;
import dev.polar.wire.BindingException;
import dev.polar.wire.Json;
import dev.polar.wire.NotJsonException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the rollout server itself needs of a session result, read in one pass without a tree of it.
 *
 * @param reward the evaluator's outcome, else the mean of the traces' rewards, else null
 * @param completions in the session's record
 * @param usable COMPLETED with a trace that has prompt ids and something to train on
 */
record ResultSummary(
        String sessionId,
        String taskId,
        SessionStatus status,
        String error,
        Double reward,
        int traces,
        int completions,
        boolean usable) {

    /** Of a session that got nowhere. */
    static ResultSummary failed(String sessionId, String taskId, String error) {
        return new ResultSummary(sessionId, taskId, SessionStatus.ERROR, error, null, 0, 0, false);
    }

    /**
     * Reads a file.
     *
     * @throws NotJsonException where it is no JSON
     * @throws BindingException where it is no session result
     * @throws IOException where it cannot be read
     */
    static ResultSummary read(Path file) throws IOException {
        try (var in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
                var parser = Json.MAPPER.getFactory().createParser(in)) {
            return new Reading(parser).whole();
        } catch (com.fasterxml.jackson.core.JacksonException broken) {
            throw new NotJsonException("the result is not JSON: " + broken.getOriginalMessage());
        }
    }

    /** One pass over a result. */
    private static final class Reading {
        private final JsonParser parser;
        private String sessionId;
        private String taskId;
        private SessionStatus status;
        private String error;
        private boolean hasTrajectory;
        private Double outcome;
        private double rewardSum;
        private int rewards;
        private int traces;
        private int completions;
        private boolean trainable;

        Reading(JsonParser parser) {
            this.parser = parser;
        }

        ResultSummary whole() throws IOException {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new BindingException("", "must be a session result, a JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                var key = parser.currentName();
                parser.nextToken();
                switch (key) {
                    case "session_id" -> sessionId = text(key);
                    case "task_id" -> taskId = text(key);
                    case "status" -> status = status(text(key));
                    case "error" -> error = parser.currentToken() == JsonToken.VALUE_NULL ? null : text(key);
                    case "trajectory" -> trajectory();
                    default -> parser.skipChildren();
                }
            }
            if (parser.nextToken() != null) {
                throw new NotJsonException("the result has more after its end");
            }
            require("session_id", sessionId);
            require("task_id", taskId);
            require("status", status);
            require("trajectory", hasTrajectory ? true : null);
            var reward = outcome != null ? outcome : rewards == 0 ? null : (Double) (rewardSum / rewards);
            return new ResultSummary(
                    sessionId,
                    taskId,
                    status,
                    error,
                    reward,
                    traces,
                    completions,
                    trainable && status == SessionStatus.COMPLETED);
        }

        private void trajectory() throws IOException {
            if (parser.currentToken() != JsonToken.START_OBJECT) {
                return;
            }
            hasTrajectory = true;
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                var key = parser.currentName();
                var token = parser.nextToken();
                if (key.equals("metadata") && token == JsonToken.START_OBJECT) {
                    metadata();
                } else if (key.equals("traces") && token == JsonToken.START_ARRAY) {
                    while (parser.nextToken() == JsonToken.START_OBJECT) {
                        trace();
                    }
                } else {
                    parser.skipChildren();
                }
            }
        }

        private void metadata() throws IOException {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                var key = parser.currentName();
                var token = parser.nextToken();
                if (key.equals("record_count") && token == JsonToken.VALUE_NUMBER_INT) {
                    completions = parser.getIntValue();
                } else if (key.equals("evaluation") && token == JsonToken.START_OBJECT) {
                    evaluation();
                } else {
                    parser.skipChildren();
                }
            }
        }

        private void evaluation() throws IOException {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                var key = parser.currentName();
                var token = parser.nextToken();
                if (key.equals("outcome_reward") && token.isNumeric()) {
                    outcome = parser.getDoubleValue();
                } else {
                    parser.skipChildren();
                }
            }
        }

        private void trace() throws IOException {
            traces++;
            boolean prompted = false;
            boolean trained = false;
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                var key = parser.currentName();
                var token = parser.nextToken();
                if (key.equals("prompt_ids") && token == JsonToken.START_ARRAY) {
                    while (parser.nextToken() != JsonToken.END_ARRAY) {
                        prompted = true;
                        parser.skipChildren();
                    }
                } else if (key.equals("loss_mask") && token == JsonToken.START_ARRAY) {
                    while (parser.nextToken() != JsonToken.END_ARRAY) {
                        trained |= parser.currentToken() == JsonToken.VALUE_NUMBER_INT && parser.getIntValue() == 1;
                        parser.skipChildren();
                    }
                } else if (key.equals("reward") && token.isNumeric()) {
                    rewardSum += parser.getDoubleValue();
                    rewards++;
                } else {
                    parser.skipChildren();
                }
            }
            trainable |= prompted && trained;
        }

        private String text(String key) throws IOException {
            if (parser.currentToken() != JsonToken.VALUE_STRING) {
                throw new BindingException(key, "must be a string");
            }
            return parser.getText();
        }

        private static SessionStatus status(String word) {
            for (var status : SessionStatus.values()) {
                if (status.name().equals(word) && status.terminal()) {
                    return status;
                }
            }
            throw new BindingException("status", "'" + word + "' is none of COMPLETED, ERROR, TIMEOUT");
        }

        private static void require(String key, Object value) {
            if (value == null) {
                throw new BindingException(key, "is required");
            }
        }
    }
}
