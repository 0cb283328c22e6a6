package dev.polar.harness.opencode;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.harness.support.AgentProgram;
import dev.polar.harness.support.EventLog;
import dev.polar.spi.AgentReport;
import dev.polar.spi.AgentReport.Said;
import dev.polar.spi.ExecResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the events that OpenCode printed say about its run ({@code --format json}: one JSON object on each line). It has no event for the end: the last step's, or an error's, is it. */
final class RunReport {
    private JsonNode lastStep;
    private JsonNode error;
    private String text = "";
    private int steps;
    private long inputTokens;
    private long outputTokens;

    private RunReport() {}

    /**
     * @param settings say which version was wanted
     * @param version of the program, or null where it does not tell
     */
    static AgentReport of(ExecResult run, OpenCodeSettings settings, String version) {
        var report = new RunReport();
        EventLog.read(run, report::read);
        return report.report(run, settings, version);
    }

    private void read(JsonNode event) {
        var part = event.path("part");
        switch (event.path("type").asText()) {
            case "step_finish" -> {
                lastStep = part;
                error = null;
                steps++;
                inputTokens += part.path("tokens").path("input").asLong();
                outputTokens += part.path("tokens").path("output").asLong();
            }
            case "text" -> text = part.path("text").asText("");
            case "error" -> error = event.path("error");
            default -> {}
        }
    }

    private AgentReport report(ExecResult run, OpenCodeSettings settings, String version) {
        var told = new LinkedHashMap<String, Object>();
        told.put("steps", steps);
        told.put("usage", Map.of("input_tokens", inputTokens, "output_tokens", outputTokens));
        told.put("result", EventLog.shortened(text));
        if (lastStep != null) {
            told.put("stop_reason", lastStep.path("reason").asText(""));
        }
        if (error != null) {
            told.put("error", error.path("name").asText(""));
        }
        if (version != null) {
            told.put("version", version);
        }
        AgentProgram.warning(OpenCodeSettings.PACKAGE, settings, version)
                .ifPresent(warning -> told.put("warnings", List.of(warning)));
        return new AgentReport(
                said(), message(run), told, version == null ? Map.of() : Map.of("agent_version", version));
    }

    private Said said() {
        if (error != null) {
            return Said.FAILED;
        }
        return lastStep == null ? Said.NOTHING : saidOf(lastStep.path("reason").asText());
    }

    /** By the last step's reason. After tool calls another step must come, and what it cannot tell is no end either. */
    private static Said saidOf(String reason) {
        return switch (reason) {
            case "stop" -> Said.FINISHED;
            case "length", "content-filter" -> Said.GAVE_UP;
            case "error" -> Said.FAILED;
            default -> Said.NOTHING;
        };
    }

    private String message(ExecResult run) {
        return switch (said()) {
            case FINISHED -> null;
            case GAVE_UP ->
                "its last answer ended by " + lastStep.path("reason").asText();
            case FAILED -> error == null ? null : told(error);
            case NOTHING -> {
                var line = run.stderr().isBlank() ? "" : EventLog.lastLine(run);
                yield line.isEmpty() ? null : line;
            }
        };
    }

    private static String told(JsonNode error) {
        var message = error.path("data").path("message").asText("");
        var name = error.path("name").asText("error");
        return EventLog.shortened(message.isEmpty() ? name : name + ": " + message);
    }
}
