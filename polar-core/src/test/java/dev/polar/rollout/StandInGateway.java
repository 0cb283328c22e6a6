package dev.polar.rollout;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.polar.spi.NodeRegistration;
import dev.polar.wire.Json;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/** A gateway's control routes over real HTTP, without agents: sessions stay until a test ends them. */
final class StandInGateway implements AutoCloseable {
    final List<JsonNode> dispatches = new CopyOnWriteArrayList<>();
    final List<String> deleted = new CopyOnWriteArrayList<>();
    final Map<String, String> statuses = new ConcurrentHashMap<>();
    /** Answers to dispatches that come before they are taken. */
    final List<Integer> refusals = new CopyOnWriteArrayList<>();

    private final String nodeId;
    private final HttpServer server;

    StandInGateway(String nodeId) throws IOException {
        this.nodeId = nodeId;
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/sessions", this::sessions);
        server.createContext("/admin/inference/pause", exchange -> answer(exchange, 200, Map.of("paused", true)));
        server.start();
    }

    NodeRegistration registration() {
        return new NodeRegistration(
                nodeId, "http://127.0.0.1:" + server.getAddress().getPort(), 4, 2, 4, 30.0);
    }

    /** It was restarted and knows nothing of what it had. */
    void forget() {
        statuses.clear();
    }

    private void sessions(HttpExchange exchange) throws IOException {
        var id = exchange.getRequestURI().getPath().replaceFirst("^/sessions/?", "");
        switch (exchange.getRequestMethod()) {
            case "POST" -> dispatch(exchange);
            case "DELETE" -> {
                deleted.add(id);
                answer(exchange, statuses.remove(id) == null ? 404 : 200, Map.of("session_id", id, "deleted", true));
            }
            default -> {
                if (id.isEmpty()) {
                    var views = statuses.entrySet().stream()
                            .map(entry -> Map.of("session_id", entry.getKey(), "status", entry.getValue()))
                            .toList();
                    answer(exchange, 200, Map.of("sessions", views, "node_id", nodeId));
                } else if (statuses.containsKey(id)) {
                    answer(exchange, 200, Map.of("session_id", id, "status", statuses.get(id)));
                } else {
                    answer(exchange, 404, Map.of("detail", "no session " + id));
                }
            }
        }
    }

    private void dispatch(HttpExchange exchange) throws IOException {
        var dispatch = Json.MAPPER.readTree(exchange.getRequestBody());
        if (!refusals.isEmpty()) {
            answer(exchange, refusals.removeFirst(), Map.of("detail", "refused by the test"));
        } else if (statuses.putIfAbsent(dispatch.get("session_id").asText(), "REGISTERED") != null) {
            answer(exchange, 409, Map.of("detail", "known"));
        } else {
            dispatches.add(dispatch);
            answer(exchange, 200, Map.of("status", "REGISTERED"));
        }
    }

    private static void answer(HttpExchange exchange, int status, Object body) throws IOException {
        var bytes = Json.MAPPER.writeValueAsBytes(body);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
