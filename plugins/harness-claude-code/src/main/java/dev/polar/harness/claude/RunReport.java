package dev.polar.harness.claude;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.harness.support.AgentProgram;
import dev.polar.harness.support.EventLog;
import dev.polar.spi.AgentOutcome;
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
     * How the run ended. Exit status 0 alone is no success: the last event must say so too, and the last answer must be the model's.
     *
     * @param settings says which version was wanted
     */
    AgentOutcome outcome(ClaudeCodeSettings settings) {
        var reason = reason();
        var told = new LinkedHashMap<String, Object>();
        told.put("status", reason == null ? "completed" : "error");
        told.put("exit_code", run.exitCode());
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
        var version = init == null ? null : init.path("claude_code_version").asText(null);
        if (version != null) {
            told.put("version", version);
        }
        var warnings = warnings(settings, version);
        if (!warnings.isEmpty()) {
            told.put("warnings", warnings);
        }
        Map<String, Object> forTraces = version == null ? Map.of() : Map.of("agent_version", version);
        return new AgentOutcome(reason == null, reason, told, forTraces);
    }

    private String reason() {
        if (result == null) {
            var said = EventLog.lastLine(run);
            return "claude_code exited with code " + run.exitCode() + " before it printed a result"
                    + (said.isEmpty() ? "" : ": " + said);
        }
        boolean madeUp = lastAnswer != null
                && !lastAnswer.path("error").isMissingNode()
                && !lastAnswer.path("error").isNull();
        boolean failed = result.path("is_error").asBoolean(true)
                || !"success".equals(result.path("subtype").asText())
                || madeUp;
        if (failed) {
            var text = result.path("result").asText(result.path("subtype").asText("no reason given"));
            return "claude_code failed: " + EventLog.shortened(text);
        }
        return run.exitCode() == 0 ? null : "claude_code exited with code " + run.exitCode();
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
