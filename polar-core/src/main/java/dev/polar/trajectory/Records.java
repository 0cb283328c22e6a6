package dev.polar.trajectory;

import dev.polar.capture.SealedRecord;
import dev.polar.spi.SessionRecord;
import dev.polar.spi.Trace;
import java.util.List;
import java.util.Map;

/** What the builders share. */
final class Records {
    private Records() {}

    /**
     * The record as a tree.
     *
     * @param endOfTurn the builder's own id, or null
     * @throws IllegalArgumentException where it is not this server's record, or was sealed for another end-of-turn id
     */
    static SealedRecord sealed(SessionRecord record, Integer endOfTurn) {
        if (!(record instanceof SealedRecord sealed)) {
            throw new IllegalArgumentException(
                    "the record of session " + record.sessionId() + " is not one that this server sealed");
        }
        var fixed = record.endOfTurnTokenId();
        if (endOfTurn != null && (fixed.isEmpty() || fixed.getAsInt() != endOfTurn)) {
            throw new IllegalArgumentException("the record of session " + record.sessionId()
                    + " was sealed with end-of-turn id "
                    + (fixed.isPresent() ? fixed.getAsInt() : "unknown") + ", the builder is configured with "
                    + endOfTurn + ": its tails must be decided again");
        }
        return sealed;
    }

    /** The chains' traces, each written out when it is asked for. */
    static List<Trace> traces(List<Chain> chains) {
        return LazyList.of(chains.size(), index -> TraceAssembly.of(chains.get(index)));
    }

    /** As JSON: a number or null. */
    static Integer endOfTurn(SessionRecord record) {
        return record.endOfTurnTokenId().isPresent() ? record.endOfTurnTokenId().getAsInt() : null;
    }

    /** The spans of a trace that {@link TraceAssembly} made. */
    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> spans(Trace trace) {
        return (List<Map<String, Object>>) trace.metadata().get("spans");
    }
}
