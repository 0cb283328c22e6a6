package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Holds a session's traces against its raw record, from nothing but the JSON of both: it shares no class with the builders. What it finds wrong is one line each.
 *
 * <p>Every completion stands in one span, or is left out for a reason that its record proves; a span is what its record sampled, ids and log-probabilities bit for bit, in the context that it was
 * sampled in or one of which it says otherwise; nothing else trains. Of the two builders of Polar's own, each span stands where the rules put it, with the parent, tail and break that they give it.
 */
final class TraceCheck {
    private static final Set<String> BUILDERS = Set.of("prefix_merging", "per_request");
    private static final List<String> RULED = List.of(
            "tail", "parent", "break", "context", "stop_differs", "superseded_by", "included_by", "role", "agent");

    private final JsonNode result;
    private final JsonNode trajectory;
    private final JsonNode metadata;
    private final List<RecordedCall> calls = new ArrayList<>();
    private final Map<String, RecordedCall> byId = new LinkedHashMap<>();
    private final Map<String, String> places = new HashMap<>();
    private final List<String> problems = new ArrayList<>();

    private TraceCheck(JsonNode result, JsonNode completions) {
        this.result = result;
        this.trajectory = result.path("trajectory");
        this.metadata = trajectory.path("metadata");
        completions.path("completions").forEach(completion -> calls.add(RecordedCall.of(completion, calls.size())));
    }

    /**
     * What is wrong with a session.
     *
     * @param result a SessionResult
     * @param completions the answer of {@code GET /sessions/{id}/completions}
     * @param simulated whether the simulator was the engine: then log-probabilities are proved from the ids, and the same text by its tokenizer
     * @return empty where nothing is
     */
    static List<String> problems(JsonNode result, JsonNode completions, boolean simulated) {
        var check = new TraceCheck(result, completions);
        check.run(simulated);
        return check.problems;
    }

    private void run(boolean simulated) {
        var config = TraceRules.Config.of(metadata);
        new RecordCheck(calls, problems).run(simulated, config.endOfTurn());
        calls.forEach(call -> byId.putIfAbsent(call.id(), call));
        if (metadata.hasNonNull("not_built")) {
            notBuilt();
            return;
        }
        var rules = new TraceRules(calls, config);
        var traces = trajectory.path("traces");
        for (int i = 0; i < traces.size(); i++) {
            trace(i, traces.get(i), rules);
        }
        leftOut(rules);
        for (var call : calls) {
            if (!places.containsKey(call.id())) {
                problems.add("completion " + call.id() + " is lost: it stands in no trace and is not left out by name");
            }
        }
        if (BUILDERS.contains(metadata.path("builder").asText())) {
            ruled(traces, rules);
        }
        new TraceCounts(metadata, traces, calls.size(), problems).run();
    }

    private void notBuilt() {
        if (!trajectory.path("traces").isEmpty() || metadata.has("excluded_completions")) {
            problems.add("it says that it was not built, and has traces or left completions out");
        }
        if (result.path("status").asText().equals("COMPLETED")) {
            problems.add("it says that it was not built, and is COMPLETED");
        }
    }

    private void trace(int number, JsonNode trace, TraceRules rules) {
        var where = "trace " + number;
        var spans = new ArrayList<TraceTokens.Span>();
        for (var span : trace.at("/metadata/spans")) {
            var id = span.path("completion_id").asText();
            var call = byId.get(id);
            int start = span.path("start").asInt(-1);
            int end = span.path("end").asInt(-1);
            placed(id, where);
            int before = spans.isEmpty() ? 0 : spans.getLast().end();
            if (call == null
                    || start < before
                    || end < start
                    || end > trace.path("response_ids").size()) {
                problems.add(where + ": the span of " + id + " is in no record, or outside the trace, or out of order");
                return;
            }
            spans.add(new TraceTokens.Span(call, start, end, span));
        }
        if (spans.isEmpty()) {
            problems.add(where + " has no spans");
            return;
        }
        var status = result.path("status").asText();
        problems.addAll(TrainingCheck.problems(where, trace, status));
        new TraceTokens(where, trace, spans, problems).run(rules, TrainingCheck.trains(trace, status));
        new TraceMessages(where, trace, spans, problems).run();
    }

    private void leftOut(TraceRules rules) {
        for (var left : metadata.path("excluded_completions")) {
            var id = left.path("completion_id").asText();
            var reason = left.path("reason").asText();
            var call = byId.get(id);
            if (call == null) {
                problems.add("completion " + id + " is left out, but is in no record");
                continue;
            }
            placed(id, "what is left out");
            if (!reason.equals(rules.leftOut(call))) {
                problems.add("completion " + id + " is left out as '" + reason + "', which its record does not say: "
                        + (rules.leftOut(call) == null ? "it belongs in a trace" : "it is " + rules.leftOut(call)));
            }
        }
    }

    private void placed(String id, String where) {
        var before = places.put(id, where);
        if (before != null) {
            problems.add("completion " + id + " stands twice: in " + before + " and in " + where);
        }
    }

    /** Holds each trace against the chain that the rules put in its place. */
    private void ruled(JsonNode traces, TraceRules rules) {
        var chains = rules.chains();
        if (chains.size() != traces.size()) {
            problems.add("there are " + traces.size() + " traces, the rules give " + chains.size());
        }
        for (int i = 0; i < Math.min(chains.size(), traces.size()); i++) {
            var spans = traces.get(i).at("/metadata/spans");
            var stated = spans.findValuesAsText("completion_id");
            var ruled = chains.get(i).stream().map(RecordedCall::id).toList();
            if (!stated.equals(ruled)) {
                problems.add("trace " + i + " holds the completions " + stated + ", the rules give " + ruled);
                continue;
            }
            for (int j = 0; j < ruled.size(); j++) {
                span("trace " + i + ", completion " + ruled.get(j), spans.get(j), rules.span(chains.get(i), j));
            }
            origin(i, traces, chains, rules);
        }
    }

    private void span(String where, JsonNode stated, Map<String, Object> ruled) {
        for (var key : RULED) {
            var says = stated.hasNonNull(key) ? stated.path(key).asText() : null;
            var must = ruled.containsKey(key) ? String.valueOf(ruled.get(key)) : null;
            if (!Objects.equals(says, must)) {
                problems.add(where + ": its span's " + key + " is " + says + ", the rules give " + must);
            }
        }
    }

    private void origin(int number, JsonNode traces, List<List<RecordedCall>> chains, TraceRules rules) {
        var trace = traces.get(number);
        var first = chains.get(number).getFirst();
        var from = rules.origin(first).orElse(null);
        Integer must = null;
        Integer shared = null;
        for (int i = 0; from != null && i < Math.min(chains.size(), traces.size()); i++) {
            if (chains.get(i).contains(from)) {
                must = i;
                shared = shared(first.prompt(), traces.get(i));
            }
        }
        says(number, trace, "parent_trace", must);
        says(number, trace, "shared_prefix_tokens", shared);
    }

    private void says(int number, JsonNode trace, String key, Integer must) {
        var says = trace.path("metadata").path(key);
        if (must == null ? !says.isMissingNode() : says.asInt(-1) != must) {
            problems.add("trace " + number + ": " + key + " is " + says + ", the rules give " + must);
        }
    }

    private static int shared(int[] prompt, JsonNode other) {
        var start = ids(other.path("prompt_ids"));
        var rest = ids(other.path("response_ids"));
        var all = Arrays.copyOf(start, start.length + rest.length);
        System.arraycopy(rest, 0, all, start.length, rest.length);
        int difference = Arrays.mismatch(prompt, all);
        return difference < 0 ? prompt.length : difference;
    }

    static int[] ids(JsonNode list) {
        var ids = new int[list.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = list.get(i).asInt();
        }
        return ids;
    }
}
