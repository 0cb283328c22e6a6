package dev.polar.gateway;

import dev.polar.spi.SessionResult;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How often and why the prompts of each harness did not go on from what was before, since this process started: an agent's update that changes its prompt from turn to turn shows here first.
 * Thread-safe.
 */
final class ChainBreaks {
    /** Stands for the harness of bare sessions, which have none. */
    static final String OUTSIDE = "(bare)";

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Counts> byHarness = new TreeMap<>();

    private static final class Counts {
        private long sessions;
        private long completions;
        private long chains;
        private final Map<String, Long> breaks = new TreeMap<>();

        Map<String, Object> json() {
            var json = new LinkedHashMap<String, Object>();
            json.put("sessions", sessions);
            json.put("completions", completions);
            json.put("chains", chains);
            json.put("breaks", new TreeMap<>(breaks));
            return json;
        }
    }

    /** Adds a session's {@code reconstruction_stats}; one without, or with none of its calls in a chain, adds nothing. */
    void add(String harness, SessionResult result) {
        if (!(result.trajectory().metadata().get("reconstruction_stats") instanceof Map<?, ?> stats)
                || number(stats.get("completions_merged")) == 0) {
            return;
        }
        lock.lock();
        try {
            var counts = byHarness.computeIfAbsent(harness, _ -> new Counts());
            counts.sessions++;
            counts.completions += number(stats.get("completions_merged"));
            counts.chains += number(stats.get("chains_total"));
            if (stats.get("breaks") instanceof Map<?, ?> breaks) {
                breaks.forEach(
                        (reason, count) -> counts.breaks.merge(String.valueOf(reason), number(count), Long::sum));
            }
        } finally {
            lock.unlock();
        }
    }

    private static long number(Object value) {
        return value instanceof Number number ? number.longValue() : 0;
    }

    /** By harness: {@code {sessions, completions, chains, breaks: {reason: count}}}. */
    Map<String, Object> json() {
        lock.lock();
        try {
            var json = new LinkedHashMap<String, Object>();
            byHarness.forEach((harness, counts) -> json.put(harness, counts.json()));
            return json;
        } finally {
            lock.unlock();
        }
    }
}
