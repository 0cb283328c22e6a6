package dev.polar.continuation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.IdsUse;

/**
 * What a request is to be answered from.
 *
 * @param history what the request is compared by; null where it is not kept
 * @param made how its prompt is made
 * @param reason why it goes on from no turn, or not from the last; null where there is nothing to say
 * @param fits what it goes on from, or null
 * @param judged true where all earlier turns were tried
 */
public record Plan(History history, Made made, Reason reason, Splice.Fits fits, boolean judged) {
    static Plan none(History history, Reason reason, boolean judged) {
        return new Plan(history, Made.NONE, reason, null, judged);
    }

    /** The ids to answer from, or null for the engine's own rendering. Not to be changed. */
    public int[] prompt() {
        return fits == null ? null : fits.prompt();
    }

    /** What became of it: a prompt that the engine did not take was made by the engine. */
    public Plan after(IdsUse use) {
        return switch (use) {
            case NONE, TAKEN -> this;
            case NOT_TAKEN -> none(history, Reason.NOT_TAKEN, false);
            case REFUSED -> none(history, Reason.REFUSED, false);
            case NOT_SENT -> none(history, Reason.BACKEND, false);
            case OUT_OF_RANGE -> none(history, Reason.OUT_OF_RANGE, false);
        };
    }

    /** Writes it to a completion's metadata: {@code continuation}, and where there is something to say {@code continuation_reason}, {@code continuation_of} (a completion id) and {@code continuation_text}. */
    public void describe(ObjectNode metadata) {
        metadata.put("continuation", made.wire());
        if (reason != null) {
            metadata.put("continuation_reason", reason.wire());
        }
        if (fits != null) {
            metadata.put("continuation_of", fits.turn().completionId());
            metadata.put("continuation_text", fits.text().wire());
        }
    }
}
