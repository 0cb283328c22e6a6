package dev.polar.gateway;

import java.time.Duration;

/**
 * The end of a budget.
 *
 * @param kind which budget
 * @param limit how long it was
 * @param atNanos when it ends, by {@link System#nanoTime()}
 */
record Deadline(Kind kind, Duration limit, long atNanos) {
    /** Which budget ends. */
    enum Kind {
        /** {@code timeout_seconds}, counted from INIT. */
        BUDGET,
        /** {@code metadata.agent_timeout}, counted from RUN. */
        AGENT_TIMEOUT,
        NONE
    }

    static final Deadline NONE = new Deadline(Kind.NONE, Duration.ofDays(365), Long.MAX_VALUE);

    /** {@code seconds} from now. */
    static Deadline in(Kind kind, double seconds) {
        // A budget of more than a year is one without end, and keeps the sum below from overflowing.
        var limit = Duration.ofNanos((long) Math.min(seconds * 1e9, NONE.limit.toNanos()));
        return new Deadline(kind, limit, System.nanoTime() + limit.toNanos());
    }

    /** What is left; zero once it has passed. */
    Duration remaining() {
        if (kind == Kind.NONE) {
            return limit;
        }
        return Duration.ofNanos(Math.max(0, atNanos - System.nanoTime()));
    }

    boolean passed() {
        return remaining().isZero();
    }

    /** Whichever ends first. */
    Deadline orEarlier(Deadline other) {
        return other.remaining().compareTo(remaining()) < 0 ? other : this;
    }

    /** Its length, for a message: {@code 2.5}. */
    String seconds() {
        return Messages.number(limit.toNanos() / 1e9);
    }
}
