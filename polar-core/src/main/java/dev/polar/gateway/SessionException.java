package dev.polar.gateway;

/** A request about a session that cannot be met. */
public final class SessionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;

    /** Why. */
    public enum Kind {
        /** There is one of this id. */
        KNOWN,
        /** There is none of this id. */
        UNKNOWN,
        /** It is not in a state for this. */
        UNFIT,
        /** The node takes no sessions. */
        STOPPING
    }

    SessionException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
