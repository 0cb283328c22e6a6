package dev.polar.harness.claude;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.harness.support.AgentProgram;
import dev.polar.harness.support.EventLog;
import dev.polar.spi.AgentReport;
import dev.polar.spi.AgentReport.Said;
import dev.polar.spi.ExecResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the events that Claude Code printed say about its run ({@code --output-format stream-json}: one JSON object on each line). */
final class RunReport {
    private final ExecResult run;
    private JsonNode init;
    private JsonNode result;
    private JsonNode lastAnswer;

    private RunReport(ExecResult run) {
        this.run = run;
    }

    static RunReport of(ExecResult run) {
        var report = new RunReport(run);
        EventLog.read(run, report::read);
        return report;
    }

    private void read(JsonNode event) {
        switch (event.path("type").asText()) {
            case "system" -> init = event.path("subtype").asText().equals("init") ? event : init;
            case "assistant" -> lastAnswer = event;
            case "result" -> result = event;
            default -> {}
        }
    }

    /**
     * What it says of the run. Its last event must say that it succeeded, and its last answer must be the model's: the program writes one of its own where a call failed.
     *
     * @param settings says which version was wanted
     */
    AgentReport report(ClaudeCodeSettings settings) {
        var told = new LinkedHashMap<String, Object>();
        if (result != null) {
            told.putAll(EventLog.scalars(
                    result,
                    "subtype",
                    "is_error",
                    "num_turns",
                    "duration_ms",
                    "stop_reason",
                    "api_error_status",
                    "terminal_reason"));
            told.put("result", EventLog.shortened(result.path("result").asText("")));
        }
        var version = init == null ? null : init.path("claude_code_version").textValue();
        if (version != null) {
            told.put("version", version);
        }
        var warnings = warnings(settings, version);
        if (!warnings.isEmpty()) {
            told.put("warnings", warnings);
        }
        Map<String, Object> forTraces = version == null ? Map.of() : Map.of("agent_version", version);
        return switch (said()) {
            case FINISHED -> new AgentReport(Said.FINISHED, null, told, forTraces);
            case NOTHING -> new AgentReport(Said.NOTHING, blank(EventLog.lastLine(run)), told, forTraces);
            case GAVE_UP, FAILED -> new AgentReport(said(), failure(), told, forTraces);
        };
    }

    private Said said() {
        if (result == null) {
            return Said.NOTHING;
        }
        var subtype = result.path("subtype").asText();
        if (subtype.startsWith("error_max_")) {
            return Said.GAVE_UP;
        }
        boolean madeUp = lastAnswer != null && lastAnswer.hasNonNull("error");
        boolean failed = result.path("is_error").asBoolean(true) || !subtype.equals("success") || madeUp;
        return failed ? Said.FAILED : Said.FINISHED;
    }

    private String failure() {
        var text = result.path("result").asText("");
        return EventLog.shortened(text.isEmpty() ? result.path("subtype").asText("no reason given") : text);
    }

    private static String blank(String text) {
        return text.isEmpty() ? null : text;
    }

    private List<String> warnings(ClaudeCodeSettings settings, String version) {
        var warnings = new ArrayList<String>();
        AgentProgram.warning(ClaudeCodeSettings.PACKAGE, settings, version).ifPresent(warnings::add);
        if (init != null) {
            for (var server : init.path("mcp_servers")) {
                if (!"connected".equals(server.path("status").asText())) {
                    warnings.add("tool server '" + server.path("name").asText() + "' was "
                            + server.path("status").asText());
                }
            }
        }
        return warnings;
    }
}
