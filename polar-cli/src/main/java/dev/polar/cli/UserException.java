package dev.polar.cli;

/** What a user did, or has to do, in one line: what, where, what to do. Ends the command with {@link #BAD_INPUT}, without a stack trace. */
final class UserException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Exit status: nothing was wrong with Polar, the input or the surroundings were. */
    static final int BAD_INPUT = 2;

    UserException(String message) {
        super(message);
    }

    UserException(String message, Throwable cause) {
        super(message, cause);
    }
}
