package dev.polar.trajectory;

import dev.polar.capture.RecordedCompletion;
import dev.polar.capture.SealedRecord;
import dev.polar.spi.ApiType;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;

/**
 * What a session's calls were, by the most frequent; where there were none, what was configured.
 *
 * @param api null where neither is known
 * @param requested the model that the agent asked for, or null
 * @param used the model that answered, or null
 */
record Calls(ApiType api, String requested, String used) {
    static Calls of(SessionOutcome outcome) {
        var models = outcome.models();
        List<RecordedCompletion> calls =
                outcome.record() instanceof SealedRecord sealed ? sealed.completions() : List.of();
        return new Calls(
                mostFrequent(calls.stream().map(RecordedCompletion::api).toList(), models.api()),
                mostFrequent(
                        calls.stream().map(RecordedCompletion::modelRequested).toList(), models.requested()),
                mostFrequent(calls.stream().map(RecordedCompletion::modelUsed).toList(), models.served()));
    }

    /** Of equally frequent ones the first. */
    private static <T> T mostFrequent(List<T> values, T otherwise) {
        var counts = new HashMap<T, Integer>();
        values.stream().filter(Objects::nonNull).forEach(value -> counts.merge(value, 1, Integer::sum));
        T best = null;
        for (var value : values) {
            if (value != null && (best == null || counts.get(value) > counts.get(best))) {
                best = value;
            }
        }
        return best == null ? otherwise : best;
    }
}
