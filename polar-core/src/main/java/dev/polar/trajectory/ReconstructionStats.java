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

    static Map<String, Object> of(SessionRecord record, Inclusion inclusion, List<Trace> traces) {
        return of(record.completions().size(), inclusion::count, traces, record.failedCalls());
    }

    private static Map<String, Object> of(
            int recorded, ToLongFunction<String> left, List<Trace> traces, long failedCalls) {
        var spans = new ArrayList<Map<?, ?>>();
        traces.forEach(trace -> spans.addAll(spans(trace)));
        var stats = new LinkedHashMap<String, Object>();
        stats.put("raw_completions_total", recorded);
        stats.put("completions_total", spans.size());
        stats.put("completions_undelivered", left.applyAsLong(Inclusion.UNDELIVERED));
        stats.put("completions_auxiliary", left.applyAsLong(Inclusion.ROLE));
        stats.put("completions_untrainable", left.applyAsLong(Inclusion.UNTRAINABLE));
        stats.put("completions_empty", left.applyAsLong(Inclusion.EMPTY));
        stats.put("completions_superseded", left.applyAsLong(Inclusion.SUPERSEDED));
        stats.put("completions_merged", spans.size());
        stats.put("chains_total", traces.size());
        stats.put("trace_count", traces.size());
        stats.put("chains_reconstructed_full", traces.size());
        stats.put("chains_reconstructed_truncated", 0);
        for (var tail : List.of("exact", "retokenized", "rewritten")) {
            stats.put(
                    "tails_" + tail,
                    spans.stream().filter(span -> tail.equals(span.get("tail"))).count());
        }
        var breaks = new LinkedHashMap<String, Object>();
        spans.stream()
                .map(span -> span.get("break"))
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
