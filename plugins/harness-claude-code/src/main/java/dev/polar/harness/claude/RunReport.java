package dev.polar.harness.claude;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.polar.spi.AgentOutcome;
import dev.polar.spi.ExecResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the events that Claude Code printed say about its run ({@code --output-format stream-json}: one JSON object on each line). */
final class RunReport {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SHOWN_CHARACTERS = 2_000;

    private final ExecResult run;
    private JsonNode init;
    private JsonNode result;
    private JsonNode lastAnswer;

    private RunReport(ExecResult run) {
        this.run = run;
    }

    static RunReport of(ExecResult run) {
        var report = new RunReport(run);
        run.stdout().lines().filter(line -> line.startsWith("{")).forEach(report::read);
        return report;
    }

    private void read(String line) {
        try {
            var event = JSON.readTree(line);
            switch (event.path("type").asText()) {
                case "system" -> init = event.path("subtype").asText().equals("init") ? event : init;
                case "assistant" -> lastAnswer = event;
                case "result" -> result = event;
                default -> {}
            }
        } catch (JacksonException torn) {
            // A line that was cut where output was left out; the last one, which decides, is kept.
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
            copy(
                    told,
                    "subtype",
                    "is_error",
                    "num_turns",
                    "duration_ms",
                    "stop_reason",
                    "api_error_status",
                    "terminal_reason");
            told.put("result", shortened(result.path("result").asText("")));
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
            var said = run.stderr().isBlank() ? run.stdout() : run.stderr();
            return "claude_code exited with code " + run.exitCode() + " before it printed a result"
                    + (said.isBlank() ? "" : ": " + lastLine(said));
        }
        boolean madeUp = lastAnswer != null
                && !lastAnswer.path("error").isMissingNode()
                && !lastAnswer.path("error").isNull();
        boolean failed = result.path("is_error").asBoolean(true)
                || !"success".equals(result.path("subtype").asText())
                || madeUp;
        if (failed) {
            var text = result.path("result").asText(result.path("subtype").asText("no reason given"));
            return "claude_code failed: " + shortened(text);
        }
        return run.exitCode() == 0 ? null : "claude_code exited with code " + run.exitCode();
    }

    private List<String> warnings(ClaudeCodeSettings settings, String version) {
        var warnings = new ArrayList<String>();
        if (version != null && !version.equals(settings.wantedVersion())) {
            warnings.add("the runtime's claude is version " + version + ", not " + settings.wantedVersion());
        }
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

    private void copy(Map<String, Object> told, String... keys) {
        for (var key : keys) {
            var value = result.path(key);
            if (value.isValueNode() && !value.isNull()) {
                told.put(key, JSON.convertValue(value, Object.class));
            }
        }
    }

    private static String lastLine(String text) {
        var lines = text.strip().lines().toList();
        return shortened(lines.getLast());
    }

    private static String shortened(String text) {
        return text.length() <= SHOWN_CHARACTERS ? text : text.substring(0, SHOWN_CHARACTERS) + "…";
    }
}
