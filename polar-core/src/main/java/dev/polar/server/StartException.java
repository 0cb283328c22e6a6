package dev.polar.server;

/** The process cannot start; the message is one line that says what is wrong and what to do. */
public final class StartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StartException(String message) {
        super(message);
    }

    public StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
