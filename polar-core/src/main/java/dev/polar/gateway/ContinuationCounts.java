package dev.polar.gateway;

import dev.polar.spi.SessionResult;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/** How many turns of each harness went on from the ids that were really used, in how many chains they ended up, and what kept the others from it, since this process started. Thread-safe. */
final class ContinuationCounts {
    private final ReentrantLock lock = new ReentrantLock();
    private final Counts total = new Counts();
    private final Map<String, Counts> byHarness = new TreeMap<>();

    private static final class Counts {
        private long sessions;
        private long turns;
        private long exact;
        private long chains;
        private final Map<String, Long> why = new TreeMap<>();

        void add(Map<?, ?> continuation, Map<?, ?> reconstruction) {
            sessions++;
            turns += number(continuation.get("turns"));
            exact += number(continuation.get("exact"));
            chains += number(reconstruction.get("chains_total"));
            if (continuation.get("why") instanceof Map<?, ?> reasons) {
                reasons.forEach((reason, count) -> why.merge(String.valueOf(reason), number(count), Long::sum));
            }
        }

        Map<String, Object> json() {
            var json = new LinkedHashMap<String, Object>();
            json.put("sessions", sessions);
            json.put("turns", turns);
            json.put("exact", exact);
            json.put("chains", chains);
            json.put("why", new TreeMap<>(why));
            return json;
        }
    }

    /** Adds what a session's trajectory says of itself; one without turns adds nothing. */
    void add(String harness, SessionResult result) {
        var metadata = result.trajectory().metadata();
        if (!(metadata.get("continuation") instanceof Map<?, ?> continuation)
                || number(continuation.get("turns")) == 0) {
            return;
        }
        var reconstruction = metadata.get("reconstruction_stats") instanceof Map<?, ?> stats ? stats : Map.of();
        lock.lock();
        try {
            total.add(continuation, reconstruction);
            byHarness.computeIfAbsent(harness, _ -> new Counts()).add(continuation, reconstruction);
        } finally {
            lock.unlock();
        }
    }

    private static long number(Object value) {
        return value instanceof Number number ? number.longValue() : 0;
    }

    /** {@code {sessions, turns, exact, chains, why: {reason: count}}} of all, and the same by harness under {@code harnesses}. */
    Map<String, Object> json() {
        lock.lock();
        try {
            var json = total.json();
            var harnesses = new LinkedHashMap<String, Object>();
            byHarness.forEach((harness, counts) -> harnesses.put(harness, counts.json()));
            json.put("harnesses", harnesses);
            return json;
        } finally {
            lock.unlock();
        }
    }
}
