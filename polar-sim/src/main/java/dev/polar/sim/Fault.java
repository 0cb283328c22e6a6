package dev.polar.sim;

import java.util.Arrays;
import java.util.Locale;

/**
 * Something that goes wrong with one request.
 *
 * @param kind what
 * @param afterTokens how many tokens come out first, for the kinds that strike in the middle
 * @param status the HTTP status of {@link Kind#STATUS}
 * @param shape the body of {@link Kind#STATUS}
 * @param message the error's text; empty for a default
 * @param retryAfterSeconds the {@code Retry-After} header of {@link Kind#STATUS}; negative for none
 * @param seconds how long {@link Kind#PAUSE} lasts
 */
public record Fault(
        Kind kind, int afterTokens, int status, Shape shape, String message, int retryAfterSeconds, int seconds) {
    /** Nothing goes wrong. */
    public static final Fault NONE = new Fault(Kind.NONE, 0, 200, Shape.ENGINE, "", -1, 0);

    /** The ways to fail. */
    public enum Kind {
        /** None. */
        NONE,
        /** An HTTP error instead of an answer. */
        STATUS,
        /** The connection closes after {@code afterTokens} tokens of a stream, or in the middle of a whole body. */
        CUT,
        /** A stream that says in an error chunk that the engine died, then {@code [DONE]}; a whole answer becomes a 500. */
        ERROR_CHUNK,
        /** A stream that ends with {@code [DONE]} but without its finish chunk; a whole answer has a null finish reason. */
        NO_FINISH,
        /** Nothing more is sent, and the connection stays open. */
        SILENCE,
        /** Nothing is sent for {@code seconds}; then the answer goes on as it should. */
        PAUSE,
        /** The answer ends with finish reason {@code abort}, as after a weight update. */
        ABORT,
        /** The first log-probability is the literal {@code NaN}. */
        NAN_LOGPROB,
        /** The first log-probability is null. */
        NULL_LOGPROB,
        /** The first log-probability is 0.5. */
        POSITIVE_LOGPROB,
        /** {@code logprobs} is null although asked for. */
        MISSING_LOGPROBS,
        /** Token ids are left out although asked for. */
        MISSING_IDS,
        /** {@code usage} counts one token more than there are ids. */
        WRONG_USAGE,
        /** The list of token ids lacks one. */
        SHORT_IDS;

        /**
         * Reads a kind's name in any case, with {@code -} or {@code _}.
         *
         * @throws IllegalArgumentException when there is no such kind; the message lists those that are
         */
        public static Kind of(String name) {
            try {
                return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "fault kind '" + name + "' is unknown: use one of "
                                + Arrays.toString(values()).toLowerCase(Locale.ROOT),
                        e);
            }
        }
    }

    /** What an error's body looks like. */
    public enum Shape {
        /** The engine's own error object. */
        ENGINE,
        /** {@code {"detail": message}}. */
        DETAIL,
        /** Plain text, as from a load balancer. */
        TEXT,
        /** An HTML page, as from a reverse proxy. */
        HTML,
        /** No body. */
        EMPTY
    }

    /** A fault of {@code kind} with no more to say. */
    public static Fault of(Kind kind) {
        return NONE.with(kind);
    }

    /** An HTTP error with the engine's own body. */
    public static Fault status(int status) {
        return new Fault(Kind.STATUS, 0, status, Shape.ENGINE, "", -1, 0);
    }

    public Fault after(int tokens) {
        return new Fault(kind, tokens, status, shape, message, retryAfterSeconds, seconds);
    }

    public Fault shaped(Shape newShape) {
        return new Fault(kind, afterTokens, status, newShape, message, retryAfterSeconds, seconds);
    }

    public Fault saying(String newMessage) {
        return new Fault(kind, afterTokens, status, shape, newMessage, retryAfterSeconds, seconds);
    }

    public Fault retryAfter(int newSeconds) {
        return new Fault(kind, afterTokens, status, shape, message, newSeconds, seconds);
    }

    public Fault lasting(int newSeconds) {
        return new Fault(kind, afterTokens, status, shape, message, retryAfterSeconds, newSeconds);
    }

    private Fault with(Kind newKind) {
        return new Fault(newKind, afterTokens, status, shape, message, retryAfterSeconds, seconds);
    }
}
