package dev.polar.capture;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/** The id that ends most of the answers that ended by the template's own stop, counted as they come. Not thread-safe. */
final class LearnedEnd {
    private final Map<Integer, Integer> counts = new HashMap<>();
    private int most;
    private int leader;
    /** How many ids were counted that often. */
    private int leaders;

    void add(StoredCompletion completion) {
        var sampled = completion.sampled;
        if (completion.endedByTemplate && sampled != null && sampled.length > 0) {
            count(sampled[sampled.length - 1]);
        }
    }

    private void count(int id) {
        int counted = counts.merge(id, 1, Integer::sum);
        if (counted > most) {
            most = counted;
            leader = id;
            leaders = 1;
        } else if (counted == most) {
            leaders++;
        }
    }

    /** Empty for a tie, and as long as none was counted. */
    OptionalInt id() {
        return leaders == 1 ? OptionalInt.of(leader) : OptionalInt.empty();
    }
}
