package dev.polar.trajectory;

import dev.polar.capture.RecordedCompletion;
import dev.polar.capture.SealedRecord;
import dev.polar.spi.SessionRecord;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code continuation}: how a session's prompts were made. {@code mode} and {@code keep} are what was in force at the node; {@code turns} counts recorded calls, {@code exact} those that went on from
 * the ids of an earlier turn ({@code spliced} and {@code partial}), and {@code why} says of the others, and of the partial ones, what kept them from it.
 */
final class ContinuationStats {
    private static final List<String> MADE = List.of("first", "spliced", "partial", "none");

    private ContinuationStats() {}

    /**
     * @param inForce {@code mode} and {@code keep}; empty where the session had no node
     * @param record may be null
     */
    static Map<String, Object> of(Map<String, Object> inForce, SessionRecord record) {
        var made = new TreeMap<String, Integer>();
        var why = new TreeMap<String, Integer>();
        var texts = new TreeMap<String, Integer>();
        int turns = 0;
        if (record instanceof SealedRecord sealed) {
            for (RecordedCompletion completion : sealed.completions()) {
                var metadata = completion.metadata();
                turns++;
                count(made, metadata.get("continuation"));
                count(why, metadata.get("continuation_reason"));
                count(texts, metadata.get("continuation_text"));
            }
        }
        var stats = new LinkedHashMap<>(inForce);
        stats.put("turns", turns);
        stats.put("exact", made.getOrDefault("spliced", 0) + made.getOrDefault("partial", 0));
        MADE.forEach(how -> stats.put(how, made.getOrDefault(how, 0)));
        stats.put("why", why);
        stats.put("texts", texts);
        return stats;
    }

    private static void count(Map<String, Integer> counts, Object value) {
        if (value instanceof String name) {
            counts.merge(name, 1, Integer::sum);
        }
    }
}
