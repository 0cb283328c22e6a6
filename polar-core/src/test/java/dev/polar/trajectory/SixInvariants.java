package dev.polar.trajectory;

import dev.polar.spi.BuiltTrajectory;
import dev.polar.spi.Trace;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/** The six invariants, held between calls as they were sent to the record and traces as they came out. Shares no code with the record, the builders or the server's own check. */
final class SixInvariants {
    /** Which one is broken, and how. */
    static final class Broken extends AssertionError {
        private static final long serialVersionUID = 1L;
        final int number;

        Broken(int number, String how) {
            super("invariant " + number + ": " + how);
            this.number = number;
        }
    }

    private final Map<String, RuleBook.Call> calls = new HashMap<>();
    private final BuiltTrajectory built;
    private final Map<String, Long> tails = new HashMap<>();
    private final Map<Object, Long> breaks = new HashMap<>();
    private final HashSet<String> placed = new HashSet<>();

    private SixInvariants(List<RuleBook.Call> calls, BuiltTrajectory built) {
        calls.forEach(call -> this.calls.put(call.id(), call));
        this.built = built;
    }

    static void check(List<RuleBook.Call> calls, long failedCalls, BuiltTrajectory built) {
        var invariants = new SixInvariants(calls, built);
        built.traces().forEach(invariants::trace);
        invariants.noneIsLost();
        invariants.countsAgree(failedCalls);
    }

    private static void hold(int number, boolean holds, String how) {
        if (!holds) {
            throw new Broken(number, how);
        }
    }

    private void trace(Trace trace) {
        int length = trace.responseIds().length;
        hold(1, trace.lossMask().length == length && trace.responseLogprobs().length == length, "lengths");
        var sampled = new boolean[length];
        boolean onlyExact = true;
        RuleBook.Call before = null;
        int end = 0;
        for (var span : (List<?>) trace.metadata().get("spans")) {
            var stated = (Map<?, ?>) span;
            var call = calls.get(stated.get("completion_id"));
            int start = (Integer) stated.get("start");
            hold(2, call != null && placed.add(call.id()), "a completion in two spans, or of nobody");
            hold(2, start >= end && (Integer) stated.get("end") == start + call.sampled().length, "a span's place");
            var tail = (String) stated.get("tail");
            tails.merge(tail, 1L, Long::sum);
            breaks.merge(String.valueOf(stated.get("break")), 1L, Long::sum);
            onlyExact &= tail.equals("first") || tail.equals("exact");
            if (onlyExact) {
                hold(4, Arrays.equals(context(trace, start), call.prompt()), "the context of " + call.id());
            } else if (tail.equals("exact")) {
                var added = Arrays.copyOfRange(
                        call.prompt(), before.prompt().length + before.sampled().length, call.prompt().length);
                hold(
                        4,
                        Arrays.equals(Arrays.copyOfRange(trace.responseIds(), end, start), added),
                        "what stands before " + call.id());
            }
            for (int i = 0; i < call.sampled().length; i++) {
                int at = start + i;
                sampled[at] = true;
                hold(2, trace.responseIds()[at] == call.sampled()[i] && trace.lossMask()[at] == 1, "id " + at);
                hold(2, bits(trace.responseLogprobs()[at]) == bits(call.logprobs()[i]), "logprob " + at);
                hold(5, Double.isFinite(call.logprobs()[i]) && call.logprobs()[i] <= 0, "logprob " + at);
            }
            before = call;
            end = start + call.sampled().length;
        }
        for (int i = 0; i < length; i++) {
            hold(3, sampled[i] || trace.lossMask()[i] == 0 && bits(trace.responseLogprobs()[i]) == 0, "given id " + i);
        }
    }

    private static int[] context(Trace trace, int start) {
        var context = Arrays.copyOf(trace.promptIds(), trace.promptIds().length + start);
        System.arraycopy(trace.responseIds(), 0, context, trace.promptIds().length, start);
        return context;
    }

    private static long bits(double value) {
        return Double.doubleToRawLongBits(value);
    }

    private void noneIsLost() {
        for (var exclusion : built.excluded()) {
            hold(2, calls.containsKey(exclusion.completionId()), "an exclusion of nobody");
            hold(
                    2,
                    placed.add(exclusion.completionId()),
                    exclusion.completionId() + " is in a trace or excluded twice");
        }
        hold(2, placed.equals(calls.keySet()), "a completion is in no trace and not excluded");
    }

    private void countsAgree(long failedCalls) {
        long spans = tails.values().stream().mapToLong(Long::longValue).sum();
        long traces = built.traces().size();
        stated("raw_completions_total", calls.size());
        stated("completions_total", spans);
        stated("completions_merged", spans);
        stated("completions_undelivered", left("undelivered"));
        stated("completions_auxiliary", left("role:"));
        stated("completions_untrainable", left("untrainable:"));
        stated("completions_empty", left("empty"));
        stated("completions_superseded", left("superseded"));
        stated("chains_total", traces);
        stated("trace_count", traces);
        stated("chains_reconstructed_full", traces);
        stated("chains_reconstructed_truncated", 0);
        for (var tail : List.of("exact", "retokenized", "rewritten")) {
            stated("tails_" + tail, tails.getOrDefault(tail, 0L));
        }
        hold(6, tails.getOrDefault("first", 0L) == traces, "first spans");
        stated("failed_calls", failedCalls);
        breaks.remove("null");
        var counted = new HashMap<Object, Long>();
        ((Map<?, ?>) built.reconstructionStats().get("breaks"))
                .forEach((why, count) -> counted.put(why, ((Number) count).longValue()));
        hold(6, counted.equals(breaks), "breaks " + counted + ", counted " + breaks);
        hold(6, breaks.values().stream().mapToLong(Long::longValue).sum() == traces, "breaks of each trace");
    }

    private long left(String reason) {
        return built.excluded().stream()
                .filter(exclusion -> exclusion.reason().startsWith(reason))
                .count();
    }

    private void stated(String name, long counted) {
        var stated = built.reconstructionStats().get(name);
        hold(6, stated instanceof Number number && number.longValue() == counted, name + " " + stated);
    }
}
