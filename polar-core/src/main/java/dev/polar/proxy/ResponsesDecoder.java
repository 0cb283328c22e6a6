package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.ApiType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decodes a Responses request: its parameters here, its tools in {@link ResponsesTools}, its items in {@link ResponsesTurns}. For one request. */
final class ResponsesDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(ResponsesDecoder.class);

    private static final Set<String> HANDLED = Set.of(
            "model",
            "input",
            "instructions",
            "previous_response_id",
            "stream",
            "tools",
            "tool_choice",
            "parallel_tool_calls",
            "max_output_tokens",
            "temperature",
            "top_p",
            "top_logprobs",
            "text",
            "reasoning",
            "include",
            "store");

    /** Means something to the vendor's cloud alone. */
    private static final Set<String> IGNORED = Set.of(
            "client_metadata",
            "context_management",
            "max_tool_calls",
            "metadata",
            "prompt_cache_key",
            "prompt_cache_retention",
            "safety_identifier",
            "service_tier",
            "stream_options",
            "truncation",
            "user");

    private static final Set<String> EFFORTS = Set.of("low", "medium", "high");

    private final ObjectNode body;
    private final AgentSession session;
    private final ObjectNode request = JsonNodeFactory.instance.objectNode();
    private final List<String> dropped = new ArrayList<>();
    private final ResponsesTools tools = new ResponsesTools();

    ResponsesDecoder(ObjectNode body, AgentSession session) {
        this.body = body;
        this.session = session;
    }

    ChatCall decode() {
        refuseCloud();
        var items = items();
        tools(items);
        request.set("messages", messages(items));
        count("max_output_tokens", "max_tokens");
        number("temperature");
        number("top_p");
        toolChoice();
        format();
        effort();
        countDropped();
        boolean stored = flag("store", true);
        var beside = new ResponsesCall(
                Reply.randomHex(),
                Instant.now().getEpochSecond(),
                body,
                tools,
                items,
                !stored || includes("reasoning.encrypted_content"),
                body.path("reasoning").hasNonNull("summary"),
                stored);
        return new ChatCall(
                ApiType.OPENAI_RESPONSES,
                text("model"),
                flag("stream", false),
                request,
                wishes(),
                Set.of(),
                dropped,
                beside);
    }

    /** Needs answers that outlive their call, or what only the vendor keeps. */
    private void refuseCloud() {
        if (flag("background", false)) {
            throw RefusedException.invalid("background", "must be false: answers are given at once here");
        }
        for (var key : List.of("conversation", "prompt")) {
            if (body.hasNonNull(key)) {
                throw RefusedException.invalid(key, "is kept by the vendor's cloud and cannot be served here");
            }
        }
    }

    /** The whole input: what the answer that it goes on from knew, then what is new. */
    private List<JsonNode> items() {
        var items = new ArrayList<JsonNode>();
        var previous = text("previous_response_id");
        if (!previous.isEmpty()) {
            items.addAll(session.responses()
                    .context(previous)
                    .orElseThrow(() -> new RefusedException(Fault.missing(
                            "previous_response_id",
                            "previous_response_not_found",
                            "previous_response_id: this session has no stored answer '" + previous
                                    + "': send its items as input"))));
        }
        var input = body.path("input");
        if (input.isTextual()) {
            items.add(JsonNodeFactory.instance.objectNode().put("role", "user").put("content", input.textValue()));
        } else if (input.isArray()) {
            for (int i = 0; i < input.size(); i++) {
                items.add(item(input.get(i), "input[" + i + "]"));
            }
        } else if (!input.isMissingNode() && !input.isNull()) {
            throw RefusedException.invalid("input", "must be a string or a list of items");
        }
        return items;
    }

    private JsonNode item(JsonNode item, String path) {
        if (!item.isObject()) {
            throw RefusedException.invalid(path, "must be an object");
        }
        if (!ResponsesTurns.type(item).equals("item_reference")) {
            return item;
        }
        var id = item.path("id").textValue();
        return session.responses()
                .item(id)
                .orElseThrow(
                        () -> RefusedException.invalid(path + ".id", "this session has no stored item '" + id + "'"));
    }

    private void tools(List<JsonNode> items) {
        tools.add(body.path("tools"), "tools");
        for (int i = 0; i < items.size(); i++) {
            if (ResponsesTurns.type(items.get(i)).equals("additional_tools")) {
                tools.add(items.get(i).path("tools"), "input[" + i + "].tools");
            }
        }
        for (var type : tools.hosted()) {
            dropped.add("hosted_tool");
            if (session.firstWarning("tool " + type)) {
                LOG.warn(
                        "session {}: tools of type '{}' are run by the vendor's cloud and are left out (said once)",
                        session.sessionId(),
                        type);
            }
        }
        if (!tools.functions().isEmpty()) {
            request.set("tools", tools.functions());
        }
    }

    private ArrayNode messages(List<JsonNode> items) {
        var messages = JsonNodeFactory.instance.arrayNode();
        var instructions = text("instructions");
        if (!instructions.isEmpty()) {
            messages.add(PromptText.message("system", instructions));
        }
        messages.addAll(new ResponsesTurns(tools, session, dropped).decode(items));
        if (messages.isEmpty()) {
            throw RefusedException.invalid("input", "must be a string or a list of at least one item");
        }
        return PromptText.joinLeadingSystem(messages);
    }

    private void toolChoice() {
        var choice = body.path("tool_choice");
        if (choice.isObject()) {
            var wanted = toolChoice(choice);
            if (wanted == null) {
                dropped.add("tool_choice");
            } else {
                request.set("tool_choice", wanted);
            }
        } else if (!choice.isMissingNode() && !choice.isNull()) {
            if (!Set.of("auto", "none", "required").contains(choice.asText())) {
                throw RefusedException.invalid("tool_choice", "must be auto, none, required or a tool");
            }
            request.set("tool_choice", choice);
        }
        if (!flag("parallel_tool_calls", true)) {
            request.put("parallel_tool_calls", false);
        }
    }

    /** Null for a tool that was left out. */
    private JsonNode toolChoice(JsonNode choice) {
        var type = choice.path("type").asText("");
        return switch (type) {
            case "function", "custom" -> {
                if (!choice.path("name").isTextual()) {
                    throw RefusedException.invalid("tool_choice.name", "is required");
                }
                yield named(choice);
            }
            case AgentTool.LocalShell.NAME -> function(tools.function(null, AgentTool.LocalShell.NAME));
            case "allowed_tools" -> allowed(choice);
            case "" -> throw RefusedException.invalid("tool_choice.type", "is required");
            default -> null;
        };
    }

    private JsonNode named(JsonNode choice) {
        return function(tools.function(
                choice.path("namespace").textValue(), choice.path("name").textValue()));
    }

    private static JsonNode function(String name) {
        var choice = JsonNodeFactory.instance.objectNode().put("type", "function");
        choice.putObject("function").put("name", name);
        return choice;
    }

    /** The prompt shows all tools whatever is allowed, so that it stays a continuation; engines can be held to one tool, or to any. */
    private JsonNode allowed(JsonNode choice) {
        if (!choice.path("mode").asText("").equals("required")) {
            return JsonNodeFactory.instance.textNode("auto");
        }
        var list = choice.path("tools");
        return list.size() == 1 && list.path(0).path("name").isTextual()
                ? named(list.get(0))
                : JsonNodeFactory.instance.textNode("required");
    }

    private void format() {
        var format = body.path("text").path("format");
        switch (format.path("type").asText("text")) {
            case "text" -> {}
            case "json_object" -> request.putObject("response_format").put("type", "json_object");
            case "json_schema" -> {
                if (!format.path("schema").isObject()) {
                    throw RefusedException.invalid("text.format.schema", "must be an object");
                }
                var schema = request.putObject("response_format")
                        .put("type", "json_schema")
                        .putObject("json_schema");
                schema.put("name", format.path("name").asText("output"));
                schema.put("strict", format.path("strict").asBoolean(false));
                schema.set("schema", format.get("schema"));
            }
            default -> throw RefusedException.invalid("text.format.type", "must be text, json_object or json_schema");
        }
    }

    private void effort() {
        var effort = body.path("reasoning").path("effort");
        if (EFFORTS.contains(effort.asText(""))) {
            request.set("reasoning_effort", effort);
        } else if (effort.isTextual()) {
            dropped.add("reasoning_effort");
        }
    }

    private ChatCall.Wishes wishes() {
        boolean logprobs = includes("message.output_text.logprobs");
        return new ChatCall.Wishes(
                false,
                logprobs,
                logprobs ? Math.max(0, body.path("top_logprobs").asInt(0)) : 0,
                false,
                !flag("parallel_tool_calls", true));
    }

    private boolean includes(String what) {
        for (var included : body.path("include")) {
            if (included.asText("").equals(what)) {
                return true;
            }
        }
        return false;
    }

    private void countDropped() {
        for (var member : body.properties()) {
            var key = member.getKey();
            if (IGNORED.contains(key)) {
                dropped.add(key);
            } else if (!HANDLED.contains(key)) {
                dropped.add("unknown_key");
            }
        }
    }

    private void number(String key) {
        var value = body.path(key);
        if (value.isMissingNode() || value.isNull()) {
            return;
        }
        if (!value.isNumber()) {
            throw RefusedException.invalid(key, "must be a number");
        }
        request.set(key, value);
    }

    private void count(String key, String upstream) {
        var value = body.path(key);
        if (value.isMissingNode() || value.isNull()) {
            return;
        }
        if (!value.isIntegralNumber() || value.longValue() < 1) {
            throw RefusedException.invalid(key, "must be a whole number of at least 1");
        }
        request.set(upstream, value);
    }

    private boolean flag(String key, boolean without) {
        var value = body.path(key);
        if (value.isMissingNode() || value.isNull()) {
            return without;
        }
        if (!value.isBoolean()) {
            throw RefusedException.invalid(key, "must be true or false");
        }
        return value.booleanValue();
    }

    private String text(String key) {
        var value = body.path(key);
        if (!value.isMissingNode() && !value.isNull() && !value.isTextual()) {
            throw RefusedException.invalid(key, "must be a string");
        }
        return value.asText("");
    }
}
