package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** What a session's result tells of an agent that failed: where its log is, and its last words. */
final class AgentWords {
    private AgentWords() {}

    /** Where the node keeps what the agent printed; empty where the result does not say. */
    static List<String> files(JsonNode result) {
        var log = log(result);
        var files = new ArrayList<String>();
        for (var stream : List.of("stderr", "stdout")) {
            if (log.hasNonNull(stream)) {
                files.add(log.path(stream).asText());
            }
        }
        return files;
    }

    /** Its last lines, oldest first; empty where there are none. */
    static List<String> lastLines(JsonNode result) {
        var lines = new ArrayList<String>();
        log(result).path("last_lines").forEach(line -> lines.add(line.asText()));
        return lines;
    }

    private static JsonNode log(JsonNode result) {
        return result.at("/trajectory/metadata/agent_result/log");
    }
}
