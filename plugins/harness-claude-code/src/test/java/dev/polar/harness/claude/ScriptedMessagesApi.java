package dev.polar.harness.claude;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** A model API of the Messages dialect that answers from a script: what a request gets is a function of the request. A double for the server's proxy, which this module must not see. */
final class ScriptedMessagesApi implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();

    /** A request as it came; header names in lower case. */
    record Call(String path, Map<String, String> headers, JsonNode body) {
        boolean offers(String tool) {
            for (var offered : body.path("tools")) {
                if (offered.path("name").asText().equals(tool)) {
                    return true;
                }
            }
            return false;
        }

        boolean hasToolResult() {
            return body.path("messages").toString().contains("\"tool_result\"");
        }

        /** The text of the last block of the first user message that is not the program's own reminder. */
        String prompt() {
            for (var message : body.path("messages")) {
                if (message.path("role").asText().equals("user")) {
                    var content = message.path("content");
                    return content.isTextual()
                            ? content.asText()
                            : content.get(content.size() - 1).path("text").asText();
                }
            }
            return "";
        }
    }

    /** What a call is answered with: a content block, or a status other than 200. */
    record Answer(int status, ObjectNode block) {
        static Answer text(String text) {
            return new Answer(200, JSON.createObjectNode().put("type", "text").put("text", text));
        }

        static Answer tool(String id, String name, Map<String, Object> input) {
            var block = JSON.createObjectNode()
                    .put("type", "tool_use")
                    .put("id", id)
                    .put("name", name);
            block.set("input", JSON.valueToTree(input));
            return new Answer(200, block);
        }

        static Answer error(int status) {
            return new Answer(status, null);
        }
    }

    private final HttpServer server;
    private final Function<Call, Answer> script;
    private final List<Call> calls = Collections.synchronizedList(new ArrayList<>());

    ScriptedMessagesApi(Function<Call, Answer> script) throws IOException {
        this.script = script;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::answer);
        server.start();
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/s/token");
    }

    List<Call> calls() {
        return List.copyOf(calls);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!exchange.getRequestMethod().equals("POST")) {
                exchange.sendResponseHeaders(200, -1);
                return;
            }
            var headers = new LinkedHashMap<String, String>();
            exchange.getRequestHeaders()
                    .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
            var call = new Call(exchange.getRequestURI().toString(), headers, JSON.readTree(exchange.getRequestBody()));
            calls.add(call);
            var answer = script.apply(call);
            if (answer.status() != 200) {
                send(
                        exchange,
                        answer.status(),
                        "application/json",
                        "{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"scripted failure\"}}");
            } else if (call.body().path("stream").asBoolean()) {
                send(exchange, 200, "text/event-stream", stream(answer.block()));
            } else {
                send(exchange, 200, "application/json", message(answer.block()).toString());
            }
        }
    }

    private static void send(HttpExchange exchange, int status, String type, String body) throws IOException {
        var bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static ObjectNode message(ObjectNode block) {
        var message = JSON.createObjectNode()
                .put("id", "msg_1")
                .put("type", "message")
                .put("role", "assistant")
                .put("model", "test-model");
        message.putArray("content").add(block);
        message.put("stop_reason", stop(block)).putNull("stop_sequence");
        message.putObject("usage").put("input_tokens", 5).put("output_tokens", 5);
        return message;
    }

    private static String stop(ObjectNode block) {
        return block.path("type").asText().equals("text") ? "end_turn" : "tool_use";
    }

    private static String stream(ObjectNode block) {
        var start = JSON.createObjectNode();
        var message = message(block);
        message.putArray("content");
        message.putNull("stop_reason");
        start.set("message", message);
        var opened = block.deepCopy();
        var delta = JSON.createObjectNode();
        if (stop(block).equals("end_turn")) {
            opened.put("text", "");
            delta.put("type", "text_delta").put("text", block.path("text").asText());
        } else {
            opened.putObject("input");
            delta.put("type", "input_json_delta")
                    .put("partial_json", block.path("input").toString());
        }
        var blockStart = JSON.createObjectNode().put("index", 0);
        blockStart.set("content_block", opened);
        var blockDelta = JSON.createObjectNode().put("index", 0);
        blockDelta.set("delta", delta);
        var end = JSON.createObjectNode();
        end.putObject("delta").put("stop_reason", stop(block)).putNull("stop_sequence");
        end.putObject("usage").put("output_tokens", 5);
        return event("message_start", start)
                + event("content_block_start", blockStart)
                + event("content_block_delta", blockDelta)
                + event("content_block_stop", JSON.createObjectNode().put("index", 0))
                + event("message_delta", end)
                + event("message_stop", JSON.createObjectNode());
    }

    private static String event(String type, ObjectNode data) {
        return "event: " + type + "\ndata: " + data.put("type", type) + "\n\n";
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
