package dev.polar.spi;

import java.util.List;
import java.util.OptionalInt;

/** A session's completions, after the agent has ended and before they are built. Immutable. */
public interface SessionRecord {
    String sessionId();

    /** In order of {@link Completion#sequence()}. */
    List<? extends Completion> completions();

    /** Model calls that sampled nothing that was seen. */
    long failedCalls();

    /** The id that ends a turn, as fixed at the run's end; empty where none is known: only exact tails merge then. */
    OptionalInt endOfTurnTokenId();
}
