package dev.polar.gateway;

/** Words for a session's {@code error}. */
final class Messages {
    private Messages() {}

    /** A problem in one line: its message, or its kind where it has none. */
    static String of(Throwable problem) {
        var message = problem.getMessage();
        return message == null || message.isBlank() ? problem.getClass().getSimpleName() : message.strip();
    }

    /** A number without needless decimals. */
    static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
