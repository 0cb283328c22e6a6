package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.JsonTree;
import dev.polar.spi.ApiType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Decodes a Messages request: its parameters and tools here, its messages in {@link MessagesTurns}. For one request. */
final class MessagesDecoder {
    /** Means something to the vendor's cloud alone, or moves from turn to turn without meaning. */
    private static final Set<String> IGNORED = Set.of(
            "metadata",
            "context_management",
            "service_tier",
            "thinking",
            "cache_control",
            "container",
            "mcp_servers",
            "speed",
            "inference_geo",
            "betas");

    private static final Set<String> HANDLED = Set.of(
            "model",
            "messages",
            "system",
            "max_tokens",
            "stream",
            "stop_sequences",
            "temperature",
            "top_p",
            "top_k",
            "tools",
            "tool_choice",
            "output_config",
            "output_format");

    private final ObjectNode body;
    private final ObjectNode request = JsonNodeFactory.instance.objectNode();
    private final List<String> dropped = new ArrayList<>();
    private boolean oneToolCall;

    MessagesDecoder(ObjectNode body) {
        this.body = body;
    }

    ChatCall decode() {
        request.set("messages", PromptText.joinLeadingSystem(new MessagesTurns(dropped).decode(body)));
        copy("max_tokens");
        copy("temperature");
        copy("top_p");
        copy("top_k");
        var stops = stops();
        tools();
        outputFormat();
        for (var member : body.properties()) {
            var key = member.getKey();
            if (IGNORED.contains(key)) {
                dropped.add(key);
            } else if (!HANDLED.contains(key)) {
                dropped.add("unknown_key");
            }
        }
        return new ChatCall(
                ApiType.ANTHROPIC,
                body.path("model").asText(""),
                body.path("stream").asBoolean(false),
                request,
                new ChatCall.Wishes(false, false, 0, false, oneToolCall),
                stops,
                dropped);
    }

    private void copy(String key) {
        var value = body.path(key);
        if (value.isMissingNode() || value.isNull()) {
            return;
        }
        if (!value.isNumber()) {
            throw RefusedException.invalid(key, "must be a number");
        }
        request.set(key, value);
    }

    private Set<String> stops() {
        var sent = body.path("stop_sequences");
        if (sent.isMissingNode() || sent.isNull() || (sent.isArray() && sent.isEmpty())) {
            return Set.of();
        }
        if (!sent.isArray()) {
            throw RefusedException.invalid("stop_sequences", "must be a list of strings");
        }
        for (var stop : sent) {
            if (!stop.isTextual()) {
                throw RefusedException.invalid("stop_sequences", "must be a list of strings");
            }
        }
        request.set("stop", sent);
        return ChatDecoder.stops(sent);
    }

    private void tools() {
        var sent = body.path("tools");
        if (sent.isMissingNode() || sent.isNull() || sent.isEmpty()) {
            if (body.hasNonNull("tool_choice")) {
                dropped.add("tool_choice_without_tools");
            }
            return;
        }
        if (!sent.isArray()) {
            throw RefusedException.invalid("tools", "must be a list");
        }
        var tools = request.putArray("tools");
        for (int i = 0; i < sent.size(); i++) {
            tool(tools, sent.get(i), "tools[" + i + "]");
        }
        toolChoice(body.path("tool_choice"));
    }

    private static void tool(ArrayNode tools, JsonNode tool, String path) {
        var name = tool.path("name").textValue();
        var type = tool.path("type").asText("custom");
        if (name == null) {
            throw RefusedException.invalid(path + ".name", "is required");
        }
        if (!tool.path("input_schema").isObject()) {
            throw RefusedException.invalid(
                    path,
                    type.equals("custom")
                            ? "'" + name + "' has no input_schema"
                            : "the tool type '" + type + "' is run by the vendor's cloud and cannot be served here");
        }
        var entry = tools.addObject().put("type", "function").putObject("function");
        entry.put("name", name);
        if (tool.path("description").isTextual()) {
            entry.set("description", tool.get("description"));
        }
        entry.set("parameters", tool.get("input_schema"));
        if (tool.path("strict").asBoolean(false)) {
            entry.put("strict", true);
        }
    }

    private void toolChoice(JsonNode choice) {
        if (choice.isMissingNode() || choice.isNull()) {
            return;
        }
        switch (choice.path("type").asText("")) {
            case "auto" -> request.put("tool_choice", "auto");
            case "any" -> request.put("tool_choice", "required");
            case "none" -> request.put("tool_choice", "none");
            case "tool" ->
                request.putObject("tool_choice")
                        .put("type", "function")
                        .putObject("function")
                        .put("name", choice.path("name").asText(""));
            default -> throw RefusedException.invalid("tool_choice.type", "must be auto, any, tool or none");
        }
        if (choice.path("disable_parallel_tool_use").asBoolean(false)) {
            oneToolCall = true;
            request.put("parallel_tool_calls", false);
        }
    }

    private void outputFormat() {
        var format = body.path("output_config").path("format");
        if (format.isMissingNode() || format.isNull()) {
            format = body.path("output_format");
        }
        if (format.path("type").asText("").equals("json_schema")) {
            request.putObject("response_format")
                    .put("type", "json_schema")
                    .putObject("json_schema")
                    .put("name", "output")
                    .put("strict", true)
                    .set("schema", format.path("schema"));
        }
    }

    /** JSON as text, key order and numbers as they came. */
    static String text(JsonNode tree) {
        return new String(JsonTree.write(tree), StandardCharsets.UTF_8);
    }
}
