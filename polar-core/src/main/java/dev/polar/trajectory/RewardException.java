package dev.polar.trajectory;

/** Rewards that cannot be set on the traces: the session ends as ERROR with this message. */
public final class RewardException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RewardException(String message) {
        super(message);
    }
}
