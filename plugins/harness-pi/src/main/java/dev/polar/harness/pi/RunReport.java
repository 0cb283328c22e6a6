package dev.polar.harness.pi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.polar.harness.support.AgentProgram;
import dev.polar.harness.support.EventLog;
import dev.polar.spi.AgentReport;
import dev.polar.spi.AgentReport.Said;
import dev.polar.spi.ExecResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What the events that Pi printed say about its run ({@code --mode json}: one JSON object on each line). Each round of its loop is over with {@code agent_end}, a retried or resumed one too;
 * whether the last went well stands in its last answer's {@code stopReason}. A call that failed is an answer with {@code error} there, and an {@code errorMessage}.
 */
final class RunReport {
    private static final Pattern STOP_REASON = Pattern.compile("[,{]\"stopReason\":\"(\\w+)\"");

    private final ExecResult run;
    private JsonNode lastAnswer;
    private String failedCompaction;
    private boolean ended;
    private int turns;
    private long inputTokens;
    private long outputTokens;

    private RunReport(ExecResult run) {
        this.run = run;
    }

    static RunReport of(ExecResult run) {
        var report = new RunReport(run);
        EventLog.read(run, report::read);
        if (!report.ended) {
            report.readTornEnd();
        }
        return report;
    }

    private void read(JsonNode event) {
        switch (event.path("type").asText()) {
            case "agent_start" -> ended = false;
            case "agent_end" -> ended = true;
            case "message_end" -> {
                if (event.path("message").path("role").asText().equals("assistant")) {
                    answered(event.path("message"));
                }
            }
            case "compaction_end" ->
                failedCompaction = event.path("errorMessage").textValue();
            default -> {}
        }
    }

    /**
     * The last event repeats all messages of the run, pictures too, and may be longer than what is kept of the output: then its beginning is gone, and only its end says how the last answer ended.
     * No text in it can look so: quotes are escaped there.
     */
    private void readTornEnd() {
        var last = run.stdout().strip();
        last = last.substring(last.lastIndexOf('\n') + 1);
        if (last.startsWith("{\"type\":") || !last.endsWith("]}")) {
            return;
        }
        var reasons = STOP_REASON.matcher(last).results().toList();
        if (!reasons.isEmpty()) {
            ended = true;
            lastAnswer = JsonNodeFactory.instance
                    .objectNode()
                    .put("stopReason", reasons.getLast().group(1));
        }
    }

    private void answered(JsonNode answer) {
        lastAnswer = answer;
        failedCompaction = null;
        turns++;
        inputTokens += answer.path("usage").path("input").asLong();
        outputTokens += answer.path("usage").path("output").asLong();
    }

    /**
     * What it says of the run.
     *
     * @param settings says which version was wanted
     * @param version the program's, or null where it did not tell
     */
    AgentReport report(PiSettings settings, String version) {
        var told = new LinkedHashMap<String, Object>();
        told.put("api", settings.api().wire());
        told.put("num_turns", turns);
        told.put("usage", Map.of("input_tokens", inputTokens, "output_tokens", outputTokens));
        if (lastAnswer != null) {
            told.put("stop_reason", lastAnswer.path("stopReason").asText());
            told.put("result", EventLog.shortened(text(lastAnswer)));
        }
        if (version != null) {
            told.put("version", version);
        }
        AgentProgram.warning(PiSettings.PACKAGE, settings, version)
                .ifPresent(warning -> told.put("warnings", List.of(warning)));
        Map<String, Object> forTraces = version == null ? Map.of() : Map.of("agent_version", version);
        var said = said();
        return new AgentReport(said, message(said), told, forTraces);
    }

    private Said said() {
        if (!ended || lastAnswer == null) {
            return Said.NOTHING;
        }
        if (failedCompaction != null) {
            return Said.FAILED;
        }
        return switch (lastAnswer.path("stopReason").asText()) {
            case "stop" -> Said.FINISHED;
            // In the agent's eyes a good end of the run too.
            case "length" -> Said.GAVE_UP;
            default -> Said.FAILED;
        };
    }

    private String message(Said said) {
        return switch (said) {
            case FINISHED -> null;
            case GAVE_UP -> "its last answer ended by length";
            case NOTHING -> {
                var last = EventLog.lastLine(run);
                yield last.isEmpty() ? null : last;
            }
            case FAILED ->
                EventLog.shortened(
                        failedCompaction != null
                                ? failedCompaction
                                : lastAnswer
                                        .path("errorMessage")
                                        .asText("its last answer ended by "
                                                + lastAnswer.path("stopReason").asText()));
        };
    }

    private static String text(JsonNode answer) {
        var text = new StringBuilder();
        for (var part : answer.path("content")) {
            text.append(part.path("text").asText(""));
        }
        return text.toString();
    }
}
