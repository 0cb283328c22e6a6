package dev.polar.trajectory;

import dev.polar.spi.SessionRecord;
import dev.polar.spi.Trace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** {@code reconstruction_stats}: counts that must agree with the record. */
final class ReconstructionStats {
    /** All at 0, for a session without a build. */
    static final Map<String, Object> NONE = of(0, reason -> 0, List.of(), 0);

    private ReconstructionStats() {}

    static Map<String, Object> of(SessionRecord record, Inclusion inclusion, List<Chain> chains) {
        return of(record.completions().size(), inclusion::count, chains, record.failedCalls());
    }

    private static Map<String, Object> of(
            int recorded, ToLongFunction<String> left, List<Chain> chains, long failedCalls) {
        var steps = chains.stream().flatMap(chain -> chain.steps().stream()).toList();
        var stats = new LinkedHashMap<String, Object>();
        stats.put("raw_completions_total", recorded);
        stats.put("completions_total", steps.size());
        stats.put("completions_undelivered", left.applyAsLong(Inclusion.UNDELIVERED));
        stats.put("completions_auxiliary", left.applyAsLong(Inclusion.ROLE));
        stats.put("completions_untrainable", left.applyAsLong(Inclusion.UNTRAINABLE));
        stats.put("completions_empty", left.applyAsLong(Inclusion.EMPTY));
        stats.put("completions_superseded", left.applyAsLong(Inclusion.SUPERSEDED));
        stats.put("completions_merged", steps.size());
        stats.put("chains_total", chains.size());
        stats.put("trace_count", chains.size());
        stats.put("chains_reconstructed_full", chains.size());
        stats.put("chains_reconstructed_truncated", 0);
        for (var tail : List.of("exact", "retokenized", "rewritten")) {
            stats.put(
                    "tails_" + tail,
                    steps.stream().filter(step -> tail.equals(step.tailWord())).count());
        }
        var breaks = new LinkedHashMap<String, Object>();
        steps.stream()
                .map(step -> step.notes().get("break"))
                .filter(String.class::isInstance)
                .forEach(why -> breaks.merge((String) why, 1, (a, b) -> (Integer) a + (Integer) b));
        stats.put("breaks", breaks);
        stats.put("failed_calls", failedCalls);
        return stats;
    }

    static List<Map<?, ?>> spans(Trace trace) {
        var spans = new ArrayList<Map<?, ?>>();
        if (trace.metadata().get("spans") instanceof List<?> listed) {
            for (var span : listed) {
                spans.add((Map<?, ?>) span);
            }
        }
        return spans;
    }
}
