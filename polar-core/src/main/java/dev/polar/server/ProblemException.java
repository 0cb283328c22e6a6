package dev.polar.server;

/** An answer that is an error: a status and what it says in {@code detail}. */
public final class ProblemException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    /**
     * @param status 400..599
     * @param detail names the thing, the value and the remedy
     */
    public ProblemException(int status, String detail) {
        super(detail);
        this.status = status;
    }

    public int status() {
        return status;
    }
}
