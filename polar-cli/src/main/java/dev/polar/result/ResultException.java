package dev.polar.result;

/** Input that cannot be exported, or a place that cannot be written to: one line that says what, where and what to do. */
public final class ResultException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ResultException(String message) {
        super(message);
    }

    public ResultException(String message, Throwable cause) {
        super(message, cause);
    }
}
