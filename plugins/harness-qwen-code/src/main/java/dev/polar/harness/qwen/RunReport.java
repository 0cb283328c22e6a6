package dev.polar.harness.qwen;

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

/** What the events that Qwen Code printed say about its run ({@code --output-format stream-json}: one JSON object on each line). */
final class RunReport {
    /** Exit statuses of a run that reached a limit that it was given: of turns; of time or tool calls. It prints no result then. */
    private static final List<Integer> LIMITS = List.of(53, 55);

    private final ExecResult run;
    private JsonNode init;
    private JsonNode result;

    private RunReport(ExecResult run) {
        this.run = run;
    }

    /** @param settings say which version was wanted */
    static AgentReport of(ExecResult run, QwenCodeSettings settings) {
        var report = new RunReport(run);
        EventLog.read(run, report::read);
        return report.report(settings);
    }

    private void read(JsonNode event) {
        switch (event.path("type").asText()) {
            case "system" -> init = event.path("subtype").asText().equals("init") ? event : init;
            case "result" -> result = event;
            default -> {}
        }
    }

    private AgentReport report(QwenCodeSettings settings) {
        var told = new LinkedHashMap<String, Object>();
        if (result != null) {
            told.putAll(EventLog.scalars(result, "subtype", "is_error", "num_turns", "duration_ms"));
            told.put("result", EventLog.shortened(result.path("result").asText("")));
            told.put("usage", EventLog.scalars(result.path("usage"), "input_tokens", "output_tokens", "total_tokens"));
        }
        var version = init == null ? null : init.path("qwen_code_version").textValue();
        if (version != null) {
            told.put("version", version);
        }
        var warnings = warnings(settings, version);
        if (!warnings.isEmpty()) {
            told.put("warnings", warnings);
        }
        var said = said();
        return new AgentReport(
                said,
                said == Said.FINISHED ? null : message(),
                told,
                version == null ? Map.of() : Map.of("agent_version", version));
    }

    private Said said() {
        if (result == null) {
            return LIMITS.contains(run.exitCode()) ? Said.GAVE_UP : Said.NOTHING;
        }
        boolean success = "success".equals(result.path("subtype").asText())
                && !result.path("is_error").asBoolean(true);
        return success ? Said.FINISHED : Said.FAILED;
    }

    private String message() {
        var said = result == null
                ? EventLog.lastLine(run)
                : EventLog.shortened(result.path("error").path("message").asText(""));
        return said.isBlank() ? null : said;
    }

    private List<String> warnings(QwenCodeSettings settings, String version) {
        var warnings = new ArrayList<String>();
        AgentProgram.warning(QwenCodeSettings.PACKAGE, settings, version).ifPresent(warnings::add);
        if (init != null) {
            for (var server : init.path("mcp_servers")) {
                var status = server.path("status").asText();
                if (!"connected".equals(status)) {
                    warnings.add("tool server '" + server.path("name").asText() + "' was " + status);
                }
            }
        }
        return warnings;
    }
}
