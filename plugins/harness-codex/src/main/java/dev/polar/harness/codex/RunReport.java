package dev.polar.harness.codex;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.harness.support.AgentProgram;
import dev.polar.harness.support.EventLog;
import dev.polar.spi.AgentReport;
import dev.polar.spi.AgentReport.Said;
import dev.polar.spi.ExecResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the events that Codex printed say about its run ({@code exec --json}: one JSON object on each line). It is over with {@code turn.completed} or {@code turn.failed}; an {@code error}
 * before that is a call that it tried again, or what made the turn fail.
 */
final class RunReport {
    private final ExecResult run;
    private String thread;
    private String lastMessage;
    private JsonNode end;

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
            case "thread.started" -> thread = event.path("thread_id").textValue();
            case "turn.started" -> end = null;
            case "turn.completed", "turn.failed" -> end = event;
            case "item.completed" -> {
                var item = event.path("item");
                if (item.path("type").asText().equals("agent_message")) {
                    lastMessage = item.path("text").textValue();
                }
            }
            default -> {}
        }
    }

    /**
     * What it says of the run.
     *
     * @param settings says which version was wanted
     * @param version the program's, or null where it did not tell
     */
    AgentReport report(CodexSettings settings, String version) {
        var told = new LinkedHashMap<String, Object>();
        if (end != null && end.path("usage").isObject()) {
            told.put(
                    "usage",
                    EventLog.scalars(
                            end.path("usage"),
                            "input_tokens",
                            "cached_input_tokens",
                            "output_tokens",
                            "reasoning_output_tokens"));
        }
        put(told, "thread_id", thread);
        put(told, "result", lastMessage == null ? null : EventLog.shortened(lastMessage));
        put(told, "version", version);
        AgentProgram.warning(CodexSettings.PACKAGE, settings, version)
                .ifPresent(warning -> told.put("warnings", List.of(warning)));
        Map<String, Object> forTraces = version == null ? Map.of() : Map.of("agent_version", version);
        if (end == null) {
            var said = EventLog.lastLine(run);
            return new AgentReport(Said.NOTHING, said.isEmpty() ? null : said, told, forTraces);
        }
        if (end.path("type").asText().equals("turn.completed")) {
            return new AgentReport(Said.FINISHED, null, told, forTraces);
        }
        var failure = end.path("error").path("message").asText("no reason given");
        return new AgentReport(Said.FAILED, EventLog.shortened(failure), told, forTraces);
    }

    private static void put(Map<String, Object> told, String key, Object value) {
        if (value != null) {
            told.put(key, value);
        }
    }
}
