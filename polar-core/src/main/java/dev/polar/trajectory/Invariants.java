package dev.polar.trajectory;

import dev.polar.spi.BuiltTrajectory;
import dev.polar.spi.Completion;
import dev.polar.spi.SessionRecord;
import dev.polar.spi.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The six invariants, held against the record and nothing that a builder thought on its way. */
public final class Invariants {
    private final SessionRecord record;
    private final BuiltTrajectory built;
    private final Map<String, Completion> byId = new HashMap<>();
    private final Map<String, Integer> places = new HashMap<>();
    private final List<Span> spans = new ArrayList<>();

    /** A span as a trace states it. */
    private record Span(int trace, Completion completion, int start, int end, String tail, String why) {}

    private Invariants(SessionRecord record, BuiltTrajectory built) {
        this.record = record;
        this.built = built;
        record.completions().forEach(completion -> byId.put(completion.id(), completion));
    }

    /** @throws BrokenInvariantException with the number of the first that is broken */
    public static void check(SessionRecord record, BuiltTrajectory built) {
        var invariants = new Invariants(record, built);
        int index = 0;
        for (var trace : built.traces()) {
            int i = index++;
            invariants.checkLengths(i, trace);
            var spans = invariants.spans(i, trace);
            invariants.checkSampled(trace, spans);
            invariants.checkMask(i, trace, spans);
            invariants.checkContext(trace, spans);
            invariants.checkLogprobs(i, trace);
            invariants.spans.addAll(spans);
        }
        invariants.checkNoneLost();
        invariants.checkStats();
    }

    private static void hold(int number, boolean holds, Supplier<String> otherwise) {
        if (!holds) {
            throw new BrokenInvariantException(number, otherwise.get());
        }
    }

    private static void checkLengths(int index, Trace trace) {
        int ids = trace.responseIds().length;
        int logprobs = trace.responseLogprobs() == null ? -1 : trace.responseLogprobs().length;
        hold(
                1,
                trace.lossMask().length == ids && logprobs == ids,
                () -> "trace " + index + " has " + ids + " response ids, a mask of " + trace.lossMask().length + " and "
                        + (logprobs < 0 ? "no" : logprobs) + " logprobs");
    }

    private List<Span> spans(int index, Trace trace) {
        var spans = new ArrayList<Span>();
        for (var stated : ReconstructionStats.spans(trace)) {
            var completion = byId.get(stated.get("completion_id"));
            boolean whole = completion != null
                    && stated.get("start") instanceof Integer
                    && stated.get("end") instanceof Integer;
            hold(2, whole, () -> "trace " + index + " has a span that is of no recorded completion: " + stated);
            spans.add(new Span(
                    index,
                    completion,
                    (Integer) stated.get("start"),
                    (Integer) stated.get("end"),
                    (String) stated.get("tail"),
                    (String) stated.get("break")));
        }
        hold(2, !spans.isEmpty(), () -> "trace " + index + " has no spans");
        return spans;
    }

    private void checkSampled(Trace trace, List<Span> spans) {
        int before = 0;
        for (var span : spans) {
            var completion = span.completion;
            hold(
                    2,
                    places.put(completion.id(), span.trace) == null,
                    () -> "completion " + completion.id() + " stands in two spans");
            boolean inside = before <= span.start && span.start <= span.end && span.end <= trace.responseIds().length;
            hold(2, inside, () -> "the span of completion " + completion.id() + " lies out of order");
            before = span.end;
            hold(
                    2,
                    equal(trace.responseIds(), span.start, span.end, completion.responseIds()),
                    () -> "the span of completion " + completion.id() + " differs from what it sampled");
            hold(
                    2,
                    sameBits(trace.responseLogprobs(), span.start, span.end, completion.logprobs()),
                    () -> "the span of completion " + completion.id() + " has other logprobs than its record");
        }
    }

    private void checkMask(int index, Trace trace, List<Span> spans) {
        var expected = new int[trace.responseIds().length];
        spans.forEach(span -> Arrays.fill(expected, span.start, span.end, 1));
        int wrong = Arrays.mismatch(expected, trace.lossMask());
        hold(3, wrong < 0, () -> "trace " + index + " has mask " + trace.lossMask()[wrong] + " at " + wrong);
        for (int i = 0; i < expected.length; i++) {
            int at = i;
            hold(
                    3,
                    expected[i] == 1 || Double.doubleToRawLongBits(trace.responseLogprobs()[i]) == 0,
                    () -> "trace " + index + " has logprob " + trace.responseLogprobs()[at] + " at " + at
                            + ", which was not sampled");
        }
    }

    /** A span's context is that of the span before it and what its prompt adds, so each id is compared once. */
    private void checkContext(Trace trace, List<Span> spans) {
        var first = spans.getFirst();
        hold(
                4,
                first.start == 0 && Arrays.equals(trace.promptIds(), first.completion.promptIds()),
                () -> "the prompt of a trace is not that of its first completion " + first.completion.id());
        boolean exact = true;
        for (int i = 1; i < spans.size(); i++) {
            var span = spans.get(i);
            var before = spans.get(i - 1);
            exact &= "exact".equals(span.tail);
            if (exact) {
                hold(
                        4,
                        span.completion.extendsPromptOf(before.completion)
                                && adds(trace, before.start, span, before.completion.promptLength()),
                        () -> "the context of completion " + span.completion.id() + " is not its prompt");
            } else if ("exact".equals(span.tail)) {
                int from = before.completion.promptLength() + before.completion.responseIds().length;
                hold(
                        4,
                        adds(trace, before.end, span, from),
                        () -> "what stands before completion " + span.completion.id() + " is not what its prompt adds");
            }
        }
    }

    /** True where the trace has, from {@code start} to the span, what the span's prompt has from {@code from}. */
    private static boolean adds(Trace trace, int start, Span span, int from) {
        int length = span.completion.promptLength();
        return length - from == span.start - start
                && length >= from
                && Arrays.equals(
                        trace.responseIds(),
                        start,
                        span.start,
                        span.completion.promptIds(from, length),
                        0,
                        length - from);
    }

    private void checkLogprobs(int index, Trace trace) {
        for (double logprob : trace.responseLogprobs()) {
            hold(
                    5,
                    logprob <= 0 && logprob != Double.NEGATIVE_INFINITY,
                    () -> "trace " + index + " has the logprob " + logprob);
        }
    }

    private void checkNoneLost() {
        var excluded = new HashMap<String, String>();
        for (var exclusion : built.excluded()) {
            hold(
                    2,
                    byId.containsKey(exclusion.completionId())
                            && excluded.put(exclusion.completionId(), exclusion.reason()) == null,
                    () -> "completion " + exclusion.completionId() + " is excluded twice, or was never recorded");
        }
        for (var id : byId.keySet()) {
            hold(
                    2,
                    places.containsKey(id) != excluded.containsKey(id),
                    () -> "completion " + id
                            + (places.containsKey(id)
                                    ? " is in a trace and excluded"
                                    : " is in no trace and not excluded"));
        }
    }

    private void checkStats() {
        var counts = new HashMap<String, Long>();
        counts.put("raw_completions_total", (long) byId.size());
        counts.put("completions_total", (long) spans.size());
        counts.put("completions_merged", (long) spans.size());
        for (var name : List.of("chains_total", "trace_count", "chains_reconstructed_full")) {
            counts.put(name, (long) built.traces().size());
        }
        counts.put("chains_reconstructed_truncated", 0L);
        counts.put("completions_undelivered", left(Inclusion.UNDELIVERED));
        counts.put("completions_auxiliary", left(Inclusion.ROLE));
        counts.put("completions_untrainable", left(Inclusion.UNTRAINABLE));
        counts.put("completions_empty", left(Inclusion.EMPTY));
        counts.put("completions_superseded", left(Inclusion.SUPERSEDED));
        for (var tail : List.of("exact", "retokenized", "rewritten")) {
            counts.put(
                    "tails_" + tail,
                    spans.stream().filter(span -> tail.equals(span.tail)).count());
        }
        counts.put("failed_calls", record.failedCalls());
        counts.forEach((name, count) -> {
            var stated = built.reconstructionStats().get(name);
            hold(
                    6,
                    stated instanceof Number number && number.longValue() == count,
                    () -> "reconstruction_stats says " + name + " " + stated + ", counted " + count);
        });
        checkSums();
    }

    private long left(String reason) {
        return built.excluded().stream()
                .filter(exclusion -> exclusion.reason().startsWith(reason))
                .count();
    }

    private void checkSums() {
        hold(
                6,
                spans.size() + built.excluded().size() == byId.size(),
                () -> "a completion was left out for a reason that is not counted");
        long joined = spans.stream().filter(span -> !"first".equals(span.tail)).count();
        hold(
                6,
                joined == spans.size() - built.traces().size(),
                () -> "there are " + joined + " tails in " + spans.size() + " spans of "
                        + built.traces().size() + " traces");
        var breaks = new HashMap<String, Long>();
        spans.stream().filter(span -> span.why != null).forEach(span -> breaks.merge(span.why, 1L, Long::sum));
        var stated = built.reconstructionStats().get("breaks") instanceof Map<?, ?> map ? map : Map.of();
        hold(
                6,
                breaks.values().stream().mapToLong(Long::longValue).sum()
                                == built.traces().size()
                        && breaks.size() == stated.size()
                        && breaks.entrySet().stream()
                                .allMatch(count -> stated.get(count.getKey()) instanceof Number number
                                        && number.longValue() == count.getValue()),
                () -> "reconstruction_stats says breaks " + stated + ", counted " + breaks);
    }

    private static boolean equal(int[] all, int from, int to, int[] part) {
        return Arrays.equals(all, from, to, part, 0, part.length);
    }

    private static boolean sameBits(double[] all, int from, int to, double[] part) {
        if (to - from != part.length) {
            return false;
        }
        for (int i = 0; i < part.length; i++) {
            if (Double.doubleToRawLongBits(all[from + i]) != Double.doubleToRawLongBits(part[i])) {
                return false;
            }
        }
        return true;
    }
}
