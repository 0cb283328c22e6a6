package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Calls a simulator over HTTP, as any caller would. */
final class Client {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final String url;

    Client(SimServer sim) {
        url = sim.url();
    }

    record Reply(int status, HttpResponse<String> raw, JsonNode json) {
        String text() {
            return raw.body();
        }
    }

    static ObjectNode chat(String user) {
        ObjectNode body = Json.object();
        body.putArray("messages").addObject().put("role", "user").put("content", user);
        return body;
    }

    static ObjectNode withIds(ObjectNode body) {
        return body.put("logprobs", true).put("return_token_ids", true);
    }

    static ObjectNode tool(String name) {
        ObjectNode tool = Json.object().put("type", "function");
        ObjectNode function = tool.putObject("function").put("name", name).put("description", "A tool.");
        ObjectNode parameters = function.putObject("parameters").put("type", "object");
        parameters.putObject("properties").putObject("city").put("type", "string");
        parameters.putArray("required").add("city");
        return tool;
    }

    Reply post(String path, JsonNode body, String... headers) throws IOException, InterruptedException {
        return post(path, new String(Json.write(body)), headers);
    }

    Reply post(String path, String body, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return reply(HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString()));
    }

    Reply get(String path) throws IOException, InterruptedException {
        return reply(HTTP.send(
                HttpRequest.newBuilder(URI.create(url + path)).build(), HttpResponse.BodyHandlers.ofString()));
    }

    JsonNode ok(ObjectNode chat) throws IOException, InterruptedException {
        Reply reply = post("/v1/chat/completions", chat);
        if (reply.status() != 200) {
            throw new AssertionError(reply.status() + ": " + reply.text());
        }
        return reply.json();
    }

    /** The events of a stream, {@code [DONE]} as a text node at the end. */
    List<JsonNode> events(ObjectNode chat, String... headers) throws IOException, InterruptedException {
        return events(
                post("/v1/chat/completions", chat.put("stream", true), headers).text());
    }

    static List<JsonNode> events(String text) throws IOException {
        List<JsonNode> events = new ArrayList<>();
        for (String event : text.split("\n\n")) {
            String data = event.substring(event.indexOf("data: ") + 6);
            events.add(
                    data.equals("[DONE]") ? Json.MAPPER.getNodeFactory().textNode(data) : Json.MAPPER.readTree(data));
        }
        return events;
    }

    static int[] ids(JsonNode array) {
        int[] ids = new int[array.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = array.get(i).intValue();
        }
        return ids;
    }

    static double[] logprobs(JsonNode content) {
        double[] out = new double[content.size()];
        for (int i = 0; i < out.length; i++) {
            out[i] = content.get(i).get("logprob").doubleValue();
        }
        return out;
    }

    static List<String> keys(JsonNode object) {
        List<String> keys = new ArrayList<>();
        object.fieldNames().forEachRemaining(keys::add);
        return keys;
    }

    static ArrayNode messages(ObjectNode body) {
        return (ArrayNode) body.get("messages");
    }

    private static Reply reply(HttpResponse<String> response) {
        JsonNode json = Json.object();
        try {
            json = Json.MAPPER.readTree(response.body());
        } catch (IOException e) {
            // Not JSON: the text is all there is.
        }
        return new Reply(response.statusCode(), response, json);
    }

    /** Waits for something that must happen soon; fails after half a minute. */
    static void await(String what, BooleanSupplier happened) throws InterruptedException {
        long until = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!happened.getAsBoolean()) {
            if (System.nanoTime() > until) {
                throw new AssertionError("did not happen: " + what);
            }
            Thread.sleep(5);
        }
    }
}
