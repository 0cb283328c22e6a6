package dev.polar.sim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** One HTTP call: what was asked, and the ways to answer it. Used by the thread that serves it. */
final class Call {
    private final HttpExchange exchange;
    private final byte[] body;

    Call(HttpExchange exchange) throws IOException {
        this.exchange = exchange;
        this.body = exchange.getRequestBody().readAllBytes();
    }

    String method() {
        return exchange.getRequestMethod();
    }

    String path() {
        return exchange.getRequestURI().getPath();
    }

    /** The value of a query parameter; empty when it is not there. */
    String query(String name) {
        String query = exchange.getRequestURI().getRawQuery();
        for (String pair : query == null ? new String[0] : query.split("&")) {
            String[] parts = pair.split("=", 2);
            if (parts[0].equals(name)) {
                return parts.length == 1 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8);
            }
        }
        return "";
    }

    /** A header's first value; empty when it is not there. */
    String header(String name) {
        String value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? "" : value;
    }

    /** The body as JSON. */
    JsonNode json() throws JsonProcessingException {
        return Json.MAPPER.readTree(new String(body, StandardCharsets.UTF_8));
    }

    /** The body as JSON; an empty object where there is none or it is not JSON. */
    JsonNode jsonOrEmpty() {
        try {
            JsonNode tree = json();
            return tree.isObject() ? tree : Json.object();
        } catch (JsonProcessingException e) {
            return Json.object();
        }
    }

    ReceivedRequest received() {
        Map<String, List<String>> headers = new TreeMap<>();
        exchange.getRequestHeaders()
                .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), List.copyOf(values)));
        JsonNode tree;
        try {
            tree = json();
        } catch (JsonProcessingException e) {
            tree = MissingNode.getInstance();
        }
        return new ReceivedRequest(method(), path(), Map.copyOf(headers), tree);
    }

    void setHeader(String name, String value) {
        exchange.getResponseHeaders().set(name, value);
    }

    void reply(int status, JsonNode json) throws IOException {
        reply(status, "application/json", Json.write(json));
    }

    void reply(int status, String contentType, byte[] bytes) throws IOException {
        setHeader("server", "uvicorn");
        if (!contentType.isEmpty()) {
            setHeader("content-type", contentType);
        }
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    void reply(int status) throws IOException {
        reply(status, "", new byte[0]);
    }

    /** Announces {@code bytes} and sends only their first half. The caller then closes the connection by failing. */
    void replyHalf(byte[] bytes) throws IOException {
        setHeader("content-type", "application/json");
        exchange.sendResponseHeaders(200, bytes.length);
        OutputStream out = exchange.getResponseBody();
        out.write(bytes, 0, bytes.length / 2);
        out.flush();
    }

    /** Starts a stream of server-sent events. */
    EventStream stream(Spoiler spoiler) throws IOException {
        setHeader("server", "uvicorn");
        setHeader("content-type", "text/event-stream; charset=utf-8");
        exchange.sendResponseHeaders(200, 0);
        return new EventStream(exchange.getResponseBody(), spoiler);
    }

    /** The caller's port, which names its connection. */
    int remotePort() {
        return exchange.getRemoteAddress().getPort();
    }
}
