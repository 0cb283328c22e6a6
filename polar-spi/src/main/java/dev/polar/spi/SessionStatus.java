package dev.polar.spi;

/** Where a session is. The last three are terminal. */
public enum SessionStatus {
    REGISTERED,
    INITIALIZING,
    READY,
    RUNNING,
    POST_RUN,
    BUILDING,
    EVALUATING,
    COMPLETED,
    ERROR,
    TIMEOUT;

    /** True where nothing comes after it. */
    public boolean terminal() {
        return this == COMPLETED || this == ERROR || this == TIMEOUT;
    }
}
