package dev.polar.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.polar.spi.NodeRegistration;
import dev.polar.spi.NodeStageMetrics;
import dev.polar.wire.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The heartbeat against a real HTTP server that answers as the rollout server does. */
@Timeout(60)
class NodeHeartbeatTest {
    private static final NodeRegistration NODE =
            new NodeRegistration("a node/1", "http://127.0.0.1:8081", 4, 2, 4, 0.05);

    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger registrations = new AtomicInteger();
    private volatile boolean known;
    private volatile int refusals;
    private HttpServer server;

    private void serve(int port) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/", this::answer);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        var path = exchange.getRequestURI().getRawPath();
        var body = Json.MAPPER.readTree(exchange.getRequestBody().readAllBytes());
        int status;
        if (path.equals("/nodes/register")) {
            status = refusals-- > 0 ? 503 : 200;
            known = status == 200;
            registrations.addAndGet(known ? 1 : 0);
            calls.add("register " + body.path("node_id").asText() + " " + status);
        } else {
            status = known ? 200 : 404;
            calls.add(path + " " + body.path("metrics").path("ready_depth").asInt() + " " + status);
        }
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.stop(0);
        }
    }

    @Test
    void a_node_registers_until_it_is_answered_then_beats_and_registers_again_where_it_was_forgotten()
            throws IOException {
        refusals = 2;
        serve(0);
        try (var link = new RolloutLink(
                        "http://127.0.0.1:" + server.getAddress().getPort(), null);
                var heartbeat = new NodeHeartbeat(link, NODE, () -> new NodeStageMetrics(0, 0, 3, 0, 0, 0))) {
            heartbeat.start();
            await().until(() ->
                    calls.stream().filter(call -> call.endsWith("3 200")).count() >= 3);
            assertThat(calls)
                    .startsWith(
                            "register a node/1 503",
                            "register a node/1 503",
                            "register a node/1 200",
                            "/nodes/a%20node%2F1/heartbeat 3 200");

            known = false;
            await().until(() -> registrations.get() == 2);
        }
    }

    @Test
    void a_rollout_server_that_starts_later_is_found() throws IOException {
        int port;
        try (var free = new java.net.ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try (var link = new RolloutLink("http://127.0.0.1:" + port, null);
                var heartbeat = new NodeHeartbeat(link, NODE, () -> NodeStageMetrics.IDLE)) {
            heartbeat.start();
            serve(port);
            await().until(() -> registrations.get() == 1);
        }
    }
}
