package dev.polar.rollout;

import java.util.Locale;

/** Where an attempt is, as far as the rollout server knows. */
enum Place {
    /** Waits for a node. */
    PENDING,
    /** Was offered to a node that may have it. */
    SENDING,
    /** A node has it. */
    PLACED,
    /** Its result counts. */
    FINISHED,
    /** Another attempt took its place. */
    LOST,
    /** Its task was cancelled. */
    WITHDRAWN;

    String stored() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Place of(String stored) {
        return valueOf(stored.toUpperCase(Locale.ROOT));
    }

    /** A node has it or may have it. */
    boolean out() {
        return this == SENDING || this == PLACED;
    }
}
