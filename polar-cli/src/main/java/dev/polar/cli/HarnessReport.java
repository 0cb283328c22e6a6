package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.wire.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What one session shows of an agent: what it speaks, what it put on the wire, and whether its calls were one chain. Made of the result's and the raw record's JSON alone.
 *
 * @param harness {@code agent.harness}
 * @param result a SessionResult
 * @param records CompletionRecords in order of arrival
 * @param breaks why the main line is more than one trace; empty where it held
 * @param problems what {@link TraceCheck} found
 */
record HarnessReport(
        String harness, JsonNode result, List<JsonNode> records, List<ChainBreak> breaks, List<String> problems) {
    /** Keys of requests that say nothing of an agent. */
    private static final Set<String> PLAIN = Set.of(
            "model", "messages", "input", "contents", "system", "instructions", "systemInstruction", "tools", "stream");

    static HarnessReport of(String harness, JsonNode result, JsonNode completions) {
        var records = new ArrayList<JsonNode>();
        completions.path("completions").forEach(records::add);
        return new HarnessReport(
                harness,
                result,
                List.copyOf(records),
                ChainBreak.all(result, records),
                TraceCheck.problems(result, completions, true));
    }

    /** It did the task, its main line is one trace, and each token is proved. */
    boolean good() {
        return result.path("status").asText().equals("COMPLETED")
                && ending().equals("done")
                && !records.isEmpty()
                && breaks.isEmpty()
                && problems.isEmpty();
    }

    private JsonNode agentResult() {
        return result.at("/trajectory/metadata/agent_result");
    }

    private String ending() {
        return agentResult().path("ending").asText("failed");
    }

    private Map<String, Integer> counted(String pointer) {
        var counts = new TreeMap<String, Integer>();
        records.forEach(record -> counts.merge(record.at(pointer).asText("none"), 1, Integer::sum));
        return counts;
    }

    private long streamed() {
        return records.stream()
                .filter(record -> record.at("/original_request/stream").asBoolean(false)
                        || record.at("/metadata/streamed").asBoolean(false))
                .count();
    }

    private Collection<String> tools() {
        var names = new TreeSet<String>();
        records.forEach(record -> record.at("/request/tools")
                .forEach(tool -> names.add(tool.at("/function/name").asText())));
        return names;
    }

    /** Keys of the requests as the agent sent them, and kinds of content and of tools that stand in them. */
    private Collection<String> features() {
        var found = new TreeSet<String>();
        for (var record : records) {
            var original = record.path("original_request");
            original.fieldNames().forEachRemaining(key -> {
                if (!PLAIN.contains(key)) {
                    found.add(key);
                }
            });
            original.path("tools").forEach(tool -> {
                var type = tool.path("type").asText("");
                if (!type.isEmpty() && !type.equals("function")) {
                    found.add("tool:" + type);
                }
            });
            for (var list : List.of("messages", "input", "contents")) {
                original.path(list).forEach(message -> {
                    content(message, found);
                });
            }
        }
        return found;
    }

    private static void content(JsonNode message, Set<String> found) {
        var type = message.path("type").asText("");
        if (!type.isEmpty() && !type.equals("message")) {
            found.add("item:" + type);
        }
        message.path("content").forEach(part -> {
            var kind = part.path("type").asText("");
            if (!kind.isEmpty() && !Set.of("text", "input_text", "output_text").contains(kind)) {
                found.add("content:" + kind);
            }
        });
        message.path("parts")
                .forEach(part -> part.fieldNames().forEachRemaining(key -> {
                    if (!key.equals("text")) {
                        found.add("part:" + key);
                    }
                }));
    }

    private Map<String, String> headers() {
        var headers = new TreeMap<String, String>();
        records.forEach(record -> record.at("/metadata/headers")
                .properties()
                .forEach(header ->
                        headers.putIfAbsent(header.getKey(), header.getValue().asText())));
        return headers;
    }

    ObjectNode json() {
        var json = Json.MAPPER.createObjectNode();
        json.put("harness", harness)
                .put("good", good())
                .put("status", result.path("status").asText())
                .put("ending", ending())
                .set("error", result.path("error"));
        json.set("agent_result", agentResult());
        json.putPOJO("dialects", counted("/metadata/api_type"));
        json.put("calls", records.size()).put("streamed", streamed());
        json.putPOJO("roles", counted("/metadata/role"));
        json.putPOJO("tools", tools());
        json.putPOJO("features", features());
        json.putPOJO("headers", headers());
        var chain = json.putObject("chain");
        chain.put("held", breaks.isEmpty() && !records.isEmpty());
        chain.putPOJO("breaks", breaks);
        json.putPOJO("problems", problems);
        return Json.MAPPER.valueToTree(json);
    }

    /** For people. */
    List<String> lines() {
        var lines = new ArrayList<String>();
        var version = agentResult().path("version").asText("");
        line(lines, "agent", harness + (version.isEmpty() ? "" : ", version " + version));
        line(
                lines,
                "ended",
                result.path("status").asText() + ", " + ending()
                        + (result.hasNonNull("error")
                                ? ": " + result.path("error").asText()
                                : ""));
        line(lines, "log", String.join(", ", AgentWords.files(result)));
        AgentWords.lastLines(result).forEach(said -> line(lines, "", "| " + said));
        line(
                lines,
                "speaks",
                records.isEmpty()
                        ? ""
                        : told(counted("/metadata/api_type")) + "; streamed " + streamed() + " of " + records.size());
        line(lines, "roles", told(counted("/metadata/role")));
        line(lines, "tools", String.join(", ", tools()));
        line(lines, "features", String.join(", ", features()));
        headers().forEach((name, value) -> line(lines, "header", name + ": " + value));
        line(lines, "chain", chain());
        breaks.forEach(broken -> line(lines, "", broken.line()));
        line(lines, "tokens", tokens());
        problems.forEach(problem -> line(lines, "", problem));
        return lines;
    }

    private String tokens() {
        if (!problems.isEmpty()) {
            return problems.size() + " problems";
        }
        return records.isEmpty() ? "none to prove" : "each is proved";
    }

    private String chain() {
        if (records.isEmpty()) {
            return "no call was answered";
        }
        return breaks.isEmpty() ? "held: the main line is one trace" : "broke " + breaks.size() + " times";
    }

    private static void line(List<String> lines, String name, String text) {
        if (!text.isEmpty()) {
            lines.add(String.format("%-9s %s", name, text));
        }
    }

    private static String told(Map<String, Integer> counts) {
        var told = new LinkedHashMap<String, Integer>(counts);
        return String.join(
                ", ",
                told.entrySet().stream()
                        .map(entry -> entry.getKey() + " " + entry.getValue())
                        .toList());
    }
}
