package dev.polar.trajectory;

/** A builder's output that breaks one of the six invariants: a bug in the builder. The session ends as ERROR and is not built. */
public final class BrokenInvariantException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int number;

    BrokenInvariantException(int number, String what) {
        super("builder invariant " + number + " is broken: " + what);
        this.number = number;
    }

    /** 1 to 6. */
    public int number() {
        return number;
    }
}
