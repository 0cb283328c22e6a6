package dev.polar.trajectory;

import dev.polar.capture.RecordedCompletion;
import dev.polar.capture.TailClass;
import java.util.List;
import java.util.Map;

/**
 * What becomes one trace, before its ids are written out: completions whose prompts go on from one another's answers.
 *
 * @param steps at least one
 * @param origin what the trace's metadata says of where it comes from
 */
record Chain(List<Step> steps, Map<String, Object> origin) {
    /**
     * A completion in a chain.
     *
     * @param tail null at the first
     * @param from where in its prompt what is given before it begins
     * @param notes what its span says beside its place: {@code parent}, {@code break} and the like
     */
    record Step(RecordedCompletion completion, TailClass tail, int from, Map<String, Object> notes) {
        int given() {
            return tail == null ? 0 : completion.promptLength() - from;
        }

        /** {@code first}, or the class of the tail. */
        String tailWord() {
            return tail == null ? "first" : tail.wire();
        }
    }

    RecordedCompletion first() {
        return steps.getFirst().completion;
    }

    /** The first ids of the trace, its prompt's among them; at most {@code limit}. */
    int[] ids(int limit) {
        var ids = new int[limit];
        int length = 0;
        for (var step : steps) {
            var completion = step.completion;
            int from = step.tail == null ? 0 : step.from;
            int given = Math.min(limit - length, completion.promptLength() - from);
            System.arraycopy(completion.promptIds(from, from + given), 0, ids, length, given);
            length += given;
            int sampled = Math.min(limit - length, completion.responseLength());
            System.arraycopy(completion.responseIds(), 0, ids, length, sampled);
            length += sampled;
            if (length == limit) {
                return ids;
            }
        }
        return java.util.Arrays.copyOf(ids, length);
    }
}
