package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Holds a session's traces against its raw record, from nothing but the JSON of both: it shares no class with the builder. What it finds wrong is one line each.
 *
 * <p>Seen from outside: every completion stands in one span, or is left out by name; a span is what its record sampled, ids and log-probabilities bit for bit; nothing else trains; and where the
 * spans before it are exact, the ids before it are the prompt that it was sampled from.
 */
final class TraceCheck {
    private final boolean simulated;
    private final Map<String, Sampled> records = new LinkedHashMap<>();
    private final Map<String, String> places = new HashMap<>();
    private final List<String> problems = new ArrayList<>();

    /** What a record says was asked and sampled. */
    private record Sampled(int[] prompt, int[] ids, double[] logprobs, JsonNode metadata) {
        static Sampled of(JsonNode completion) {
            var choice = completion.at("/response/choices/0");
            var content = choice.path("logprobs").path("content");
            var logprobs = new double[content.size()];
            for (int i = 0; i < logprobs.length; i++) {
                logprobs[i] = content.get(i).path("logprob").asDouble(Double.NaN);
            }
            return new Sampled(
                    TraceCheck.ids(choice.path("input_token_ids")),
                    TraceCheck.ids(choice.path("token_ids")),
                    logprobs,
                    completion.path("metadata"));
        }

        boolean undelivered() {
            return !metadata.path("delivered").asBoolean(true);
        }

        String role() {
            return metadata.path("role").asText("main");
        }
    }

    private TraceCheck(boolean simulated) {
        this.simulated = simulated;
    }

    /**
     * What is wrong with a session that was built.
     *
     * @param result a SessionResult
     * @param completions the answer of {@code GET /sessions/{id}/completions}
     * @param simulated whether the simulator was the engine: then log-probabilities are proved from the ids
     * @return empty where nothing is
     */
    static List<String> problems(JsonNode result, JsonNode completions, boolean simulated) {
        var check = new TraceCheck(simulated);
        completions
                .path("completions")
                .forEach(completion ->
                        check.records.put(completion.path("completion_id").asText(), Sampled.of(completion)));
        check.run(result.path("trajectory"));
        return check.problems;
    }

    private void run(JsonNode trajectory) {
        var traces = trajectory.path("traces");
        for (int i = 0; i < traces.size(); i++) {
            trace("trace " + i, traces.get(i));
        }
        for (var left : trajectory.at("/metadata/excluded_completions")) {
            excluded(left.path("completion_id").asText(), left.path("reason").asText());
        }
        for (var id : records.keySet()) {
            if (!places.containsKey(id)) {
                problems.add("completion " + id + " is lost: it stands in no trace and is not left out by name");
            }
        }
        if (simulated) {
            records.forEach((id, record) -> {
                if (record.ids.length > 0
                        && record.ids.length == record.logprobs.length
                        && !Arrays.equals(record.logprobs, SimulatedLogprobs.of(record.prompt, record.ids))) {
                    problems.add("completion " + id + ": its log-probabilities are not those of its ids");
                }
            });
        }
    }

    private void trace(String where, JsonNode trace) {
        var prompt = ids(trace.path("prompt_ids"));
        var response = ids(trace.path("response_ids"));
        var mask = ids(trace.path("loss_mask"));
        var logprobs = trace.path("response_logprobs");
        if (mask.length != response.length || logprobs.size() != response.length) {
            problems.add(where + ": " + response.length + " ids, " + mask.length + " of loss_mask, " + logprobs.size()
                    + " log-probabilities");
            return;
        }
        boolean masked = trace.at("/metadata/training_filter/masked").asBoolean(false);
        var expectedMask = new int[response.length];
        var expectedLogprobs = new double[response.length];
        for (var span : trace.at("/metadata/spans")) {
            var id = span.path("completion_id").asText();
            var record = records.get(id);
            int start = span.path("start").asInt();
            int end = span.path("end").asInt();
            if (record == null || start < 0 || end > response.length || start > end) {
                problems.add(where + ": the span of " + id + " is in no record, or outside the trace");
                return;
            }
            placed(id, where);
            Arrays.fill(expectedMask, start, end, masked ? 0 : 1);
            span(where + ", completion " + id, span, record, prompt, response, start, end);
            if (record.logprobs.length == end - start) {
                System.arraycopy(record.logprobs, 0, expectedLogprobs, start, end - start);
            }
        }
        for (int i = 0; i < response.length; i++) {
            if (mask[i] != expectedMask[i]) {
                problems.add(where + ": position " + i + " has loss_mask " + mask[i] + ", not " + expectedMask[i]);
                return;
            }
            double logprob = logprobs.get(i).asDouble(Double.NaN);
            if (Double.doubleToLongBits(logprob) != Double.doubleToLongBits(expectedLogprobs[i])) {
                problems.add(where + ": position " + i + " has the log-probability " + logprob + ", not "
                        + expectedLogprobs[i]);
                return;
            }
        }
    }

    private void span(String where, JsonNode span, Sampled record, int[] prompt, int[] response, int start, int end) {
        if (!Arrays.equals(response, start, end, record.ids, 0, record.ids.length)) {
            problems.add(where + ": the span differs from what was sampled");
        }
        if (record.ids.length != record.logprobs.length) {
            problems.add(where + ": it trains, with " + record.ids.length + " ids and " + record.logprobs.length
                    + " log-probabilities on record");
        }
        if (span.hasNonNull("context")) {
            return;
        }
        var context = Arrays.copyOf(prompt, prompt.length + start);
        System.arraycopy(response, 0, context, prompt.length, start);
        if (!Arrays.equals(context, record.prompt)) {
            problems.add(where + ": what stands before it is not the prompt that it was sampled from");
        }
    }

    private void excluded(String id, String reason) {
        var record = records.get(id);
        if (record == null) {
            problems.add("completion " + id + " is left out, but is in no record");
            return;
        }
        placed(id, "what is left out");
        boolean said = switch (reason) {
            case "undelivered" -> record.undelivered();
            case "empty" -> record.ids.length == 0;
            case "superseded" -> true;
            default ->
                reason.startsWith("untrainable:")
                        || (reason.equals("role:" + record.role())
                                && !record.role().equals("main"));
        };
        if (!said) {
            problems.add("completion " + id + " is left out as '" + reason + "', which its record does not say");
        }
    }

    private void placed(String id, String where) {
        var before = places.put(id, where);
        if (before != null) {
            problems.add("completion " + id + " stands twice: in " + before + " and in " + where);
        }
    }

    static int[] ids(JsonNode list) {
        var ids = new int[list.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = list.get(i).asInt();
        }
        return ids;
    }
}
