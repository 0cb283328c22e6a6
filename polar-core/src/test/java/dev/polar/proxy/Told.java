package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * What an agent makes of a stream.
 *
 * @param reasoning empty where there is none
 * @param calls name and arguments
 * @param finish as the dialect says it; null where the stream has no terminal event
 * @param message the assistant's turn as the agent sends it back: a message, a list of items, a content
 * @param pieces how many deltas it came in
 */
record Told(String reasoning, String text, List<Call> calls, String finish, JsonNode message, int pieces) {
    record Call(String id, String name, String arguments) {
        JsonNode tree() {
            return Bodies.parsed(arguments);
        }
    }

    /** An API that agents speak, as an agent sees it. */
    enum Api {
        CHAT("/v1/chat/completions"),
        MESSAGES("/v1/messages"),
        RESPONSES("/v1/responses"),
        GOOGLE("/v1beta/models/any:streamGenerateContent?alt=sse");

        final String path;

        Api(String path) {
            this.path = path;
        }

        /** A request for a stream. */
        String ask(ArrayNode history, boolean tools) {
            var body = JsonNodeFactory.instance.objectNode();
            var schema = Bodies.tree("{'type':'object','properties':{'city':{'type':'string'}}}");
            switch (this) {
                case CHAT -> {
                    body.put("model", "any").put("stream", true).set("messages", history);
                    if (tools) {
                        body.set("tools", Bodies.tree("[{'type':'function','function':{'name':'look'}}]"));
                        ((ObjectNode) body.at("/tools/0/function")).set("parameters", schema);
                    }
                }
                case MESSAGES -> {
                    body.put("model", "any").put("stream", true).put("max_tokens", 500);
                    body.set("messages", history);
                    if (tools) {
                        body.putArray("tools").addObject().put("name", "look").set("input_schema", schema);
                    }
                }
                case RESPONSES -> {
                    body.put("model", "any").put("stream", true).put("store", false);
                    body.set("input", history);
                    if (tools) {
                        var tool = body.putArray("tools").addObject();
                        tool.put("type", "function").put("name", "look").set("parameters", schema);
                    }
                }
                case GOOGLE -> {
                    body.set("contents", history);
                    if (tools) {
                        var tool = body.putArray("tools").addObject().putArray("functionDeclarations");
                        tool.addObject().put("name", "look").set("parametersJsonSchema", schema);
                    }
                }
            }
            return Bodies.text(body);
        }

        JsonNode user(String text) {
            return switch (this) {
                case CHAT, MESSAGES, RESPONSES ->
                    JsonNodeFactory.instance.objectNode().put("role", "user").put("content", text);
                case GOOGLE -> Bodies.tree("{'role':'user','parts':[{'text':'" + text + "'}]}");
            };
        }

        /** What an agent's history has of an answer, and of the results of its calls. */
        List<JsonNode> turn(Told told) {
            var turn = new ArrayList<JsonNode>();
            if (this == RESPONSES) {
                told.message.forEach(turn::add);
            } else {
                turn.add(told.message);
            }
            var results = JsonNodeFactory.instance.arrayNode();
            for (var call : told.calls) {
                switch (this) {
                    case CHAT ->
                        turn.add(JsonNodeFactory.instance
                                .objectNode()
                                .put("role", "tool")
                                .put("tool_call_id", call.id)
                                .put("content", "sun"));
                    case MESSAGES ->
                        results.addObject()
                                .put("type", "tool_result")
                                .put("tool_use_id", call.id)
                                .put("content", "sun");
                    case RESPONSES ->
                        turn.add(JsonNodeFactory.instance
                                .objectNode()
                                .put("type", "function_call_output")
                                .put("call_id", call.id)
                                .put("output", "sun"));
                    case GOOGLE ->
                        results.addObject()
                                .putObject("functionResponse")
                                .put("id", call.id)
                                .put("name", call.name)
                                .putObject("response")
                                .put("output", "sun");
                }
            }
            if (!results.isEmpty()) {
                var message = JsonNodeFactory.instance.objectNode().put("role", "user");
                message.set(this == MESSAGES ? "content" : "parts", results);
                turn.add(message);
            }
            return turn;
        }

        /** The message of the error that ends a stream, in the form that this API's agents see; null where there is none, or something follows it, or the stream ends as if it were whole. */
        String error(String stream) throws IOException {
            var events = Node.events(stream);
            var last = events.isEmpty() ? JsonNodeFactory.instance.objectNode() : events.getLast();
            var message = switch (this) {
                case CHAT -> stream.contains("[DONE]") ? null : last.at("/error/message");
                case MESSAGES -> last.path("type").asText().equals("error") ? last.at("/error/message") : null;
                case RESPONSES ->
                    last.path("type").asText().equals("response.failed") ? last.at("/response/error/message") : null;
                case GOOGLE ->
                    Bodies.parsed(stream.substring(stream.lastIndexOf("\n\n"))).at("/error/message");
            };
            return message == null ? null : message.textValue();
        }

        Told read(String stream) throws IOException {
            var events = Node.events(stream);
            return switch (this) {
                case CHAT -> chat(events, stream);
                case MESSAGES -> messages(events);
                case RESPONSES -> responses(events);
                case GOOGLE -> google(events);
            };
        }
    }

    private static Told chat(List<JsonNode> events, String stream) {
        var reasoning = new StringBuilder();
        var text = new StringBuilder();
        var calls = new TreeMap<Integer, ObjectNode>();
        String finish = null;
        int pieces = 0;
        for (var event : events) {
            var choice = event.path("choices").path(0);
            var delta = choice.path("delta");
            reasoning.append(delta.path("reasoning_content").asText(""));
            text.append(delta.path("content").asText(""));
            pieces += delta.isEmpty() ? 0 : 1;
            for (var part : delta.path("tool_calls")) {
                var call = calls.computeIfAbsent(
                        part.path("index").intValue(), _ -> (ObjectNode) Bodies.tree("{'function':{'arguments':''}}"));
                var function = (ObjectNode) call.get("function");
                if (part.has("id")) {
                    call.put("id", part.path("id").textValue()).put("type", "function");
                    function.put("name", part.at("/function/name").textValue());
                }
                function.put(
                        "arguments",
                        function.path("arguments").textValue()
                                + part.at("/function/arguments").asText(""));
            }
            finish = choice.path("finish_reason").asText(finish);
        }
        var message = JsonNodeFactory.instance.objectNode().put("role", "assistant");
        message.put("content", text.toString());
        if (!reasoning.isEmpty()) {
            message.put("reasoning_content", reasoning.toString());
        }
        if (!calls.isEmpty()) {
            message.putArray("tool_calls").addAll(calls.values());
        }
        var made = new ArrayList<Call>();
        calls.values()
                .forEach(call -> made.add(new Call(
                        call.path("id").textValue(),
                        call.at("/function/name").textValue(),
                        call.at("/function/arguments").textValue())));
        boolean ended = stream.endsWith("data: [DONE]\n\n");
        return new Told(reasoning.toString(), text.toString(), made, ended ? finish : null, message, pieces);
    }

    private static Told messages(List<JsonNode> events) {
        var reasoning = new StringBuilder();
        var text = new StringBuilder();
        var calls = new ArrayList<Call>();
        var content = JsonNodeFactory.instance.arrayNode();
        var arguments = new StringBuilder();
        String finish = null;
        boolean ended = false;
        int pieces = 0;
        int open = -1;
        for (var event : events) {
            switch (event.path("type").textValue()) {
                case "content_block_start" -> {
                    if (open != -1 || event.path("index").intValue() != content.size()) {
                        throw new AssertionError("a block opens within another, or out of order: " + event);
                    }
                    open = content.size();
                    content.add(event.path("content_block").deepCopy());
                }
                case "content_block_delta" -> {
                    pieces++;
                    var delta = event.path("delta");
                    if (event.path("index").intValue() != open) {
                        throw new AssertionError("a delta of a block that is not open: " + event);
                    }
                    var block = (ObjectNode) content.get(open);
                    switch (delta.path("type").textValue()) {
                        case "thinking_delta" ->
                            grow(block, "thinking", delta.path("thinking").textValue());
                        case "text_delta" ->
                            grow(block, "text", delta.path("text").textValue());
                        case "signature_delta" -> block.set("signature", delta.get("signature"));
                        case "input_json_delta" ->
                            arguments.append(delta.path("partial_json").textValue());
                        default -> throw new AssertionError("an unknown delta: " + event);
                    }
                }
                case "content_block_stop" -> {
                    var block = (ObjectNode) content.get(open);
                    reasoning.append(block.path("thinking").asText(""));
                    text.append(block.path("text").asText(""));
                    if (block.path("type").textValue().equals("tool_use")) {
                        var whole = arguments.toString();
                        calls.add(new Call(
                                block.path("id").textValue(), block.path("name").textValue(), whole));
                        block.set("input", parsed(whole));
                        arguments.setLength(0);
                    }
                    open = -1;
                }
                case "message_delta" -> finish = event.at("/delta/stop_reason").textValue();
                case "message_stop" -> ended = open == -1;
                default -> {}
            }
        }
        var message = JsonNodeFactory.instance.objectNode().put("role", "assistant");
        message.set("content", content);
        return new Told(reasoning.toString(), text.toString(), calls, ended ? finish : null, message, pieces);
    }

    private static JsonNode parsed(String arguments) {
        try {
            return Bodies.parsed(arguments);
        } catch (RuntimeException broken) {
            return JsonNodeFactory.instance.textNode(arguments);
        }
    }

    private static void grow(ObjectNode node, String key, String more) {
        node.put(key, node.path(key).asText("") + more);
    }

    private static Told responses(List<JsonNode> events) {
        var told = new TreeMap<String, StringBuilder>();
        JsonNode output = JsonNodeFactory.instance.arrayNode();
        String finish = null;
        int pieces = 0;
        for (int i = 0; i < events.size(); i++) {
            var event = events.get(i);
            var type = event.path("type").textValue();
            if (event.path("sequence_number").intValue() != i) {
                throw new AssertionError("a sequence number that does not rise by one: " + event);
            }
            if (type.endsWith(".delta")) {
                pieces++;
                told.computeIfAbsent(event.path("item_id").textValue() + type, _ -> new StringBuilder())
                        .append(event.path("delta").textValue());
            }
            if (type.equals("response.completed") || type.equals("response.incomplete")) {
                output = event.at("/response/output");
                finish = event.at("/response/status").textValue();
            }
        }
        var reasoning = new StringBuilder();
        var text = new StringBuilder();
        var calls = new ArrayList<Call>();
        for (var item : output) {
            var id = item.path("id").textValue();
            switch (item.path("type").textValue()) {
                case "reasoning" -> reasoning.append(told.get(id + "response.reasoning_text.delta"));
                case "message" -> {
                    var all = told.get(id + "response.output_text.delta");
                    text.append(all == null ? "" : all);
                    if (!item.at("/content/0/text").textValue().contentEquals(all == null ? "" : all)) {
                        throw new AssertionError("deltas differ from the final item: " + item);
                    }
                }
                case "function_call" -> {
                    var all = told.getOrDefault(id + "response.function_call_arguments.delta", new StringBuilder())
                            .toString();
                    if (!all.equals(item.path("arguments").textValue())) {
                        throw new AssertionError("deltas differ from the final item: " + item);
                    }
                    calls.add(new Call(
                            item.path("call_id").textValue(), item.path("name").textValue(), all));
                }
                default -> throw new AssertionError("an unknown item: " + item);
            }
        }
        return new Told(reasoning.toString(), text.toString(), calls, finish, output, pieces);
    }

    private static Told google(List<JsonNode> events) {
        var reasoning = new StringBuilder();
        var text = new StringBuilder();
        var calls = new ArrayList<Call>();
        var parts = JsonNodeFactory.instance.arrayNode();
        String finish = null;
        int pieces = 0;
        for (var event : events) {
            var candidate = event.path("candidates").path(0);
            for (var part : candidate.at("/content/parts")) {
                pieces++;
                parts.add(part);
                (part.path("thought").asBoolean() ? reasoning : text)
                        .append(part.path("text").asText(""));
                if (part.has("functionCall")) {
                    var call = part.get("functionCall");
                    calls.add(new Call(
                            call.path("id").textValue(), call.path("name").textValue(), Bodies.text(call.get("args"))));
                }
            }
            finish = candidate.path("finishReason").asText(finish);
        }
        var content = JsonNodeFactory.instance.objectNode().put("role", "model");
        content.set("parts", parts);
        return new Told(reasoning.toString(), text.toString(), calls, finish, content, pieces);
    }
}
