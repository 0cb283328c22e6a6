package dev.polar.rollout;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.spi.GatewayNodeInfo;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Asks all live gateways the same, at once. Thread-safe. */
final class FanOut {
    /**
     * What one said.
     *
     * @param status its HTTP status, or 0 where it could not be reached
     * @param response its answer, or an object with {@code detail}
     */
    record Said(String nodeId, int status, Object response) {
        boolean ok() {
            return status / 100 == 2;
        }
    }

    /** What all said. */
    record Answer(List<Said> nodes, boolean allPaused) {
        boolean allFailed() {
            return !nodes.isEmpty() && nodes.stream().noneMatch(Said::ok);
        }
    }

    private final Supplier<List<GatewayNodeInfo>> nodes;
    private final HttpCalls http;

    FanOut(Supplier<List<GatewayNodeInfo>> nodes, HttpCalls http) {
        this.nodes = nodes;
        this.http = http;
    }

    /**
     * @param path with its query, below each gateway's URL
     * @param patience how long one may take
     */
    Answer ask(String method, String path, Duration patience) throws InterruptedException {
        var live = nodes.get().stream().filter(GatewayNodeInfo::healthy).toList();
        Map<String, Said> said = new ConcurrentHashMap<>();
        var threads = live.stream()
                .map(node -> Thread.ofVirtual().start(() -> said.put(node.nodeId(), ask(node, method, path, patience))))
                .toList();
        for (var thread : threads) {
            thread.join();
        }
        var inOrder = live.stream().map(node -> said.get(node.nodeId())).toList();
        boolean allPaused = !inOrder.isEmpty()
                && inOrder.stream()
                        .allMatch(one -> one.ok()
                                && one.response() instanceof JsonNode body
                                && body.path("paused").asBoolean(false));
        return new Answer(inOrder, allPaused);
    }

    private Said ask(GatewayNodeInfo node, String method, String path, Duration patience) {
        try {
            var answer = http.command(method, node.gatewayUrl() + path, patience);
            return new Said(
                    node.nodeId(),
                    answer.status(),
                    answer.body() == null ? Map.of("detail", answer.detail()) : answer.body());
        } catch (IOException | RuntimeException unreachable) {
            return new Said(
                    node.nodeId(), 0, Map.of("detail", "node " + node.nodeId() + " cannot be reached: " + unreachable));
        }
    }
}
