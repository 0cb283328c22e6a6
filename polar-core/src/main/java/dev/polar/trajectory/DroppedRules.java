package dev.polar.trajectory;

import dev.polar.capture.RecordedCompletion;
import dev.polar.capture.SealedRecord;
import dev.polar.spi.SessionRecord;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** {@code dropped_rules}: what the proxy left out of an agent's requests on purpose, because no engine understands it. */
final class DroppedRules {
    private DroppedRules() {}

    /**
     * How many recorded calls each rule left something out of, by the rule's name.
     *
     * @param record may be null
     */
    static Map<String, Integer> of(SessionRecord record) {
        var counts = new TreeMap<String, Integer>();
        if (record instanceof SealedRecord sealed) {
            for (RecordedCompletion completion : sealed.completions()) {
                if (completion.metadata().get("dropped") instanceof List<?> rules) {
                    new HashSet<Object>(rules).forEach(rule -> counts.merge(String.valueOf(rule), 1, Integer::sum));
                }
            }
        }
        return counts;
    }
}
