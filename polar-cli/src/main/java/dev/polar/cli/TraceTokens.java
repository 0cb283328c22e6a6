package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.cli.RecordedCall.Tail;
import java.util.Arrays;
import java.util.List;

/** One trace's ids, mask and log-probabilities against the record. */
final class TraceTokens {
    private final String where;
    private final List<Span> spans;
    private final List<String> problems;
    private final int[] prompt;
    private final int[] response;
    private final int[] mask;
    private final JsonNode logprobs;

    /**
     * A span inside the trace, behind the one before it.
     *
     * @param json as the trace states it
     */
    record Span(RecordedCall call, int start, int end, JsonNode json) {}

    /** @param spans at least one, in order */
    TraceTokens(String where, JsonNode trace, List<Span> spans, List<String> problems) {
        this.where = where;
        this.spans = spans;
        this.problems = problems;
        this.prompt = TraceCheck.ids(trace.path("prompt_ids"));
        this.response = TraceCheck.ids(trace.path("response_ids"));
        this.mask = TraceCheck.ids(trace.path("loss_mask"));
        this.logprobs = trace.path("response_logprobs");
    }

    /** @param trains false where the whole trace is masked */
    void run(TraceRules rules, boolean trains) {
        if (mask.length != response.length || logprobs.size() != response.length) {
            problems.add(where + ": " + response.length + " ids, " + mask.length + " of loss_mask, " + logprobs.size()
                    + " log-probabilities");
            return;
        }
        if (spans.getFirst().start != 0 || spans.getLast().end != response.length) {
            problems.add(where + ": what was sampled reaches from " + spans.getFirst().start + " to "
                    + spans.getLast().end + " of " + response.length + " ids");
        }
        for (var span : spans) {
            sampled(span);
        }
        contexts(rules);
        positions(trains);
    }

    private void sampled(Span span) {
        var call = span.call;
        if (call.untrainable() != null) {
            problems.add(at(span) + ": it stands in a trace and cannot train: " + call.untrainable());
        } else if (!Arrays.equals(response, span.start, span.end, call.sampled(), 0, call.sampled().length)) {
            problems.add(at(span) + ": the span differs from what was sampled");
        }
    }

    private String at(Span span) {
        return where + ", completion " + span.call.id();
    }

    private void contexts(TraceRules rules) {
        boolean exact = true;
        for (int i = 0; i < spans.size(); i++) {
            var span = spans.get(i);
            var before = i == 0 ? null : spans.get(i - 1);
            if (span.call.prompt() == null) {
                continue;
            }
            if (before != null && (before.call.isEmpty() || !before.call.isPrefixOf(span.call))) {
                problems.add(at(span) + ": the prompt of the span before it is not where its own begins");
                return;
            }
            exact &= before == null || before.call.tail(span.call) == Tail.EXACT;
            if (exact ? !isContext(span) : !isGiven(rules, before, span)) {
                problems.add(at(span) + ": what stands before it is not the prompt that it was sampled from");
            }
            if (!exact && !span.json.hasNonNull("context")) {
                problems.add(at(span) + ": it comes after a tail that is not exact, and does not say so");
            }
        }
    }

    private boolean isContext(Span span) {
        int inside = Math.min(prompt.length, span.call.prompt().length);
        return span.call.prompt().length == prompt.length + span.start
                && Arrays.equals(prompt, 0, prompt.length, span.call.prompt(), 0, inside)
                && Arrays.equals(response, 0, span.start, span.call.prompt(), inside, span.call.prompt().length);
    }

    private boolean isGiven(TraceRules rules, Span before, Span span) {
        var given = rules.given(before.call, span.call);
        return Arrays.equals(response, before.end, span.start, given, 0, given.length);
    }

    private void positions(boolean trains) {
        var expectedMask = new int[response.length];
        var expectedLogprobs = new double[response.length];
        for (var span : spans) {
            Arrays.fill(expectedMask, span.start, span.end, trains ? 1 : 0);
            var own = span.call.logprobs();
            if (own != null && own.length == span.end - span.start) {
                System.arraycopy(own, 0, expectedLogprobs, span.start, own.length);
            }
        }
        for (int i = 0; i < response.length; i++) {
            if (mask[i] != expectedMask[i]) {
                problems.add(where + ": position " + i + " has loss_mask " + mask[i] + ", not " + expectedMask[i]);
                return;
            }
            double logprob = logprobs.get(i).isNumber() ? logprobs.get(i).doubleValue() : Double.NaN;
            if (Double.doubleToLongBits(logprob) != Double.doubleToLongBits(expectedLogprobs[i])) {
                problems.add(where + ": position " + i + " has the log-probability " + logprob + ", not "
                        + expectedLogprobs[i]);
                return;
            }
        }
    }
}
