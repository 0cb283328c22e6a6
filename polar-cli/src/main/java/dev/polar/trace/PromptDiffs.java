package dev.polar.trace;

import dev.polar.result.SessionTrace;
import dev.polar.result.SessionTrace.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** All places of a session where a tail is not exact. */
public final class PromptDiffs {
    private static final Set<String> INEXACT = Set.of("retokenized", "rewritten");

    private final Map<Integer, SessionTrace> traces;

    public PromptDiffs(List<SessionTrace> traces) {
        this.traces = traces.stream().collect(Collectors.toMap(SessionTrace::index, trace -> trace));
    }

    /** Completions behind a tail that was merged all the same: a trace does not hold their prompts, the record does. */
    public Set<String> merged() {
        return traces.values().stream()
                .flatMap(trace -> trace.spans().stream())
                .filter(PromptDiffs::isMerged)
                .map(span -> span.said().path("completion_id").asText())
                .collect(Collectors.toSet());
    }

    private static boolean isMerged(Span span) {
        return INEXACT.contains(span.said().path("tail").asText());
    }

    /**
     * In order of the traces.
     *
     * @param prompts the prompts of {@link #merged} completions, as far as they are known
     */
    public List<PromptDiff> find(Map<String, int[]> prompts) {
        var found = new ArrayList<PromptDiff>();
        for (var index : traces.keySet().stream().sorted().toList()) {
            var trace = traces.get(index);
            opening(trace, found);
            for (var span : trace.spans()) {
                var prompt = prompts.get(span.said().path("completion_id").asText());
                if (isMerged(span) && prompt != null) {
                    int end = trace.trace().promptIds().length + span.start();
                    found.add(PromptDiff.of(index, span.said().path("tail").asText(), trace.ids(end), prompt));
                }
            }
        }
        return found;
    }

    private void opening(SessionTrace trace, List<PromptDiff> found) {
        var reason = trace.said("spans").path(0).path("break").asText();
        var before = traces.get(trace.said("parent_trace").asInt(-1));
        if (INEXACT.contains(reason) && before != null) {
            found.add(PromptDiff.of(
                    trace.index(),
                    reason,
                    before.ids(before.length()),
                    trace.trace().promptIds()));
        }
    }
}
