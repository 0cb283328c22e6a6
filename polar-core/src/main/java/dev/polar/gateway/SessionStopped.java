package dev.polar.gateway;

/** A session's section was stopped from outside of it. */
final class SessionStopped extends Exception {
    private static final long serialVersionUID = 1L;

    private final Reason reason;
    private final transient Deadline deadline;

    SessionStopped(Reason reason, Deadline deadline) {
        super(reason.name());
        this.reason = reason;
        this.deadline = deadline;
    }

    Reason reason() {
        return reason;
    }

    /** The deadline that the section had; it has passed where the reason says so. */
    Deadline deadline() {
        return deadline;
    }

    /** Who stopped it. */
    enum Reason {
        CANCELLED,
        NODE_STOPPED,
        DEADLINE
    }
}
