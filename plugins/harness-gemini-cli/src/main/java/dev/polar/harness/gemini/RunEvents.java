package dev.polar.harness.gemini;

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

/**
 * What the events that Gemini CLI printed say about its run ({@code --output-format stream-json}: one JSON object on each line; {@code init}, {@code message}, {@code tool_use},
 * {@code tool_result}, {@code error}, and {@code result} as the last).
 *
 * <p>Seen of version 0.61.0, {@code result.status} and exit status beside it:
 *
 * <table>
 * <caption>Endings</caption>
 * <tr><th>what happened</th><th>result</th><th>exit status</th></tr>
 * <tr><td>an answer without tool calls</td><td>success</td><td>0</td></tr>
 * <tr><td>all attempts failed, or a request was refused</td><td>error, {@code error.message} holds the server's answer</td><td>the HTTP status modulo 256, or 1</td></tr>
 * <tr><td>answers empty, without text or cut by their length limit, twice in a row</td><td>error without a message, an {@code error} event before it</td><td>0</td></tr>
 * <tr><td>its limit of turns</td><td>error, type {@code FatalTurnLimitedError}</td><td>53</td></tr>
 * <tr><td>it saw itself in a loop</td><td>success, an {@code error} event of severity {@code warning} before it</td><td>0</td></tr>
 * </table>
 */
final class RunEvents {
    private static final String TURN_LIMIT = "FatalTurnLimitedError";

    private final ExecResult run;
    private final StringBuilder answer = new StringBuilder();
    private JsonNode result;
    private String lastProblem;

    private RunEvents(ExecResult run) {
        this.run = run;
    }

    static RunEvents of(ExecResult run) {
        var events = new RunEvents(run);
        EventLog.read(run, events::read);
        return events;
    }

    private void read(JsonNode event) {
        switch (event.path("type").asText()) {
            case "message" -> {
                if ("assistant".equals(event.path("role").asText())) {
                    answer.append(event.path("content").asText());
                }
            }
            case "tool_use" -> {
                answer.setLength(0);
                lastProblem = null;
            }
            case "error" -> lastProblem = event.path("message").asText();
            case "result" -> result = event;
            default -> {}
        }
    }

    /** @param version of the program, or null where it is not known */
    AgentReport report(GeminiCliSettings settings, String version) {
        var told = new LinkedHashMap<String, Object>();
        if (version != null) {
            told.put("version", version);
        }
        if (result != null) {
            told.putAll(EventLog.scalars(
                    result.path("stats"), "duration_ms", "tool_calls", "input_tokens", "output_tokens"));
            told.put("result", EventLog.shortened(answer.toString()));
        }
        var warnings = warnings(settings, version);
        if (!warnings.isEmpty()) {
            told.put("warnings", warnings);
        }
        return new AgentReport(said(), message(), told, version == null ? Map.of() : Map.of("agent_version", version));
    }

    private Said said() {
        if (result == null) {
            return Said.NOTHING;
        }
        if (TURN_LIMIT.equals(result.path("error").path("type").asText())) {
            return Said.GAVE_UP;
        }
        if ("success".equals(result.path("status").asText())) {
            return lastProblem == null ? Said.FINISHED : Said.GAVE_UP;
        }
        // Without a message of its own it is the model's answers that it could do nothing with.
        return result.path("error").isMissingNode() && lastProblem != null ? Said.GAVE_UP : Said.FAILED;
    }

    private String message() {
        if (result == null) {
            var said = EventLog.lastLine(run);
            return said.isEmpty() ? null : said;
        }
        var message = result.path("error").path("message").asText(lastProblem);
        return message == null ? null : EventLog.shortened(message);
    }

    private List<String> warnings(GeminiCliSettings settings, String version) {
        var warnings = new ArrayList<String>();
        AgentProgram.warning(GeminiCliSettings.PACKAGE, settings, version).ifPresent(warnings::add);
        if (run.stderr().contains("MCP issues detected")) {
            warnings.add("a tool server could not be used; the agent does not say which");
        }
        return warnings;
    }
}
