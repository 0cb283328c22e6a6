package dev.polar.capture;

/** A record that could not be written or read; the message names the file. */
public final class RecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public RecordException(String message, Throwable cause) {
        super(message, cause);
    }
}
