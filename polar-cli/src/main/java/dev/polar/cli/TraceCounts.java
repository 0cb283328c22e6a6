package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts what a trajectory holds anew, and holds {@code reconstruction_stats} against it. How many calls failed is not in the record's JSON, so that number is only held to be one. */
final class TraceCounts {
    private static final Map<String, String> LEFT_OUT = Map.of(
            "completions_undelivered", "undelivered",
            "completions_auxiliary", "role:",
            "completions_untrainable", "untrainable:",
            "completions_empty", "empty",
            "completions_superseded", "superseded");

    private final JsonNode metadata;
    private final JsonNode traces;
    private final int recorded;
    private final List<String> problems;

    TraceCounts(JsonNode metadata, JsonNode traces, int recorded, List<String> problems) {
        this.metadata = metadata;
        this.traces = traces;
        this.recorded = recorded;
        this.problems = problems;
    }

    void run() {
        var stats = metadata.path("reconstruction_stats");
        counted().forEach((name, count) -> says(name, stats.path(name), count));
        says("record_count", metadata.path("record_count"), recorded);
        says("trace_count", metadata.path("trace_count"), traces.size());
        if (!stats.path("failed_calls").isIntegralNumber()
                || stats.path("failed_calls").asLong() < 0) {
            problems.add("failed_calls is " + stats.path("failed_calls"));
        }
        breaks(stats.path("breaks"));
    }

    private void says(String name, JsonNode stated, int counted) {
        if (!stated.isIntegralNumber() || stated.asInt() != counted) {
            problems.add(name + " is " + stated + ", counted " + counted);
        }
    }

    private Map<String, Integer> counted() {
        var counts = new LinkedHashMap<String, Integer>();
        counts.put("raw_completions_total", recorded);
        var tails = spans("tail");
        int spans = tails.values().stream().mapToInt(Integer::intValue).sum();
        counts.put("completions_total", spans);
        counts.put("completions_merged", spans);
        counts.put("chains_total", traces.size());
        counts.put("trace_count", traces.size());
        counts.put("chains_reconstructed_full", traces.size());
        counts.put("chains_reconstructed_truncated", 0);
        for (var tail : RecordedCall.Tail.values()) {
            counts.put("tails_" + tail.word(), tails.getOrDefault(tail.word(), 0));
        }
        LEFT_OUT.forEach((name, reason) -> {
            int left = 0;
            for (var excluded : metadata.path("excluded_completions")) {
                left += excluded.path("reason").asText().startsWith(reason) ? 1 : 0;
            }
            counts.put(name, left);
        });
        return counts;
    }

    /** How many spans say what under a key; those that do not have it are not counted. */
    private Map<String, Integer> spans(String key) {
        var counts = new HashMap<String, Integer>();
        for (var trace : traces) {
            for (var span : trace.at("/metadata/spans")) {
                if (span.hasNonNull(key)) {
                    counts.merge(span.path(key).asText(), 1, Integer::sum);
                }
            }
        }
        return counts;
    }

    private void breaks(JsonNode stated) {
        var says = new HashMap<String, Integer>();
        stated.properties()
                .forEach(count -> says.put(count.getKey(), count.getValue().asInt()));
        var counted = spans("break");
        if (!says.equals(counted)
                || counted.values().stream().mapToInt(Integer::intValue).sum() != traces.size()) {
            problems.add("breaks is " + stated + ", counted " + counted + " of " + traces.size() + " traces");
        }
    }
}
