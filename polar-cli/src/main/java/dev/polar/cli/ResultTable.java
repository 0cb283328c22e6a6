package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A task's results for people. */
final class ResultTable {
    private static final List<String> HEAD =
            List.of("session", "status", "completions", "traces", "trained tokens", "reward");

    private ResultTable() {}

    /** Prints one row per session; its error, if any, and where its agent's log is below. The last words of one agent stand for those of all that ended with the same error. */
    static void print(JsonNode task, Output output) {
        var rows = new ArrayList<List<String>>();
        rows.add(HEAD);
        task.path("results").forEach(result -> rows.add(row(result)));
        var widths = new int[HEAD.size()];
        for (var row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        var quoted = new HashSet<String>();
        output.line(line(rows.getFirst(), widths));
        for (int i = 1; i < rows.size(); i++) {
            output.line(line(rows.get(i), widths));
            var result = task.path("results").get(i - 1);
            if (result.hasNonNull("error")) {
                printFailure(result, quoted, output);
            }
        }
    }

    /** @param quoted the errors whose agents' last words were printed */
    private static void printFailure(JsonNode result, Set<String> quoted, Output output) {
        var error = result.path("error").asText().lines().findFirst().orElse("");
        output.line("  " + output.bad(error));
        AgentWords.files(result).forEach(file -> output.line("  log: " + file));
        if (quoted.add(error)) {
            AgentWords.lastLines(result).forEach(said -> output.line("  | " + said));
        }
    }

    private static List<String> row(JsonNode result) {
        var trajectory = result.path("trajectory");
        return List.of(
                result.path("session_id").asText(),
                result.path("status").asText(),
                "" + trajectory.path("metadata").path("record_count").asInt(),
                "" + trajectory.path("traces").size(),
                "" + trainedTokens(trajectory),
                reward(result).map(Object::toString).orElse("-"));
    }

    private static String line(List<String> row, int[] widths) {
        var line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            // Words to the left, numbers to the right.
            line.append(String.format(i < 2 ? "%-" + widths[i] + "s  " : "%" + widths[i] + "s  ", row.get(i)));
        }
        return line.toString().stripTrailing();
    }

    private static int trainedTokens(JsonNode trajectory) {
        var tokens = 0;
        for (var trace : trajectory.path("traces")) {
            for (var mask : trace.path("loss_mask")) {
                tokens += mask.asInt();
            }
        }
        return tokens;
    }

    /** What a session earned, if it was scored. */
    static java.util.Optional<Double> reward(JsonNode result) {
        var outcome =
                result.path("trajectory").path("metadata").path("evaluation").path("outcome_reward");
        return outcome.isNumber() ? java.util.Optional.of(outcome.doubleValue()) : java.util.Optional.empty();
    }

    /** True where every session is COMPLETED. */
    static boolean allCompleted(JsonNode task) {
        for (var result : task.path("results")) {
            if (!"COMPLETED".equals(result.path("status").asText())) {
                return false;
            }
        }
        return "completed".equals(task.path("status").asText());
    }
}
