package dev.polar.export;

/** Input that cannot be exported, or a place that cannot be written to: one line that says what, where and what to do. */
public final class ExportException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ExportException(String message) {
        super(message);
    }

    public ExportException(String message, Throwable cause) {
        super(message, cause);
    }
}
