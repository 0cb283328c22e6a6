package dev.polar.inference;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/**
 * Stands in for SGLang's router: answers its lists of workers as versions 0.1 and 0.3 word them, and passes nothing on. The real one drops the keys that ask for ids, so a call that reaches it is
 * a mistake, and kept.
 */
final class RouterStandIn implements AutoCloseable {
    final List<String> workers = new CopyOnWriteArrayList<>();
    final List<String> strayCalls = new CopyOnWriteArrayList<>();
    private final HttpServer server;
    private final boolean old;

    /** @param old true for the list of version 0.1 */
    RouterStandIn(boolean old, String... workers) throws IOException {
        this.old = old;
        this.workers.addAll(List.of(workers));
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::serve);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void serve(HttpExchange exchange) throws IOException {
        var path = exchange.getRequestURI().getPath();
        if (path.equals("/workers") && !old) {
            answer(exchange, 200, newList());
        } else if (path.equals("/list_workers") && old) {
            answer(
                    exchange,
                    200,
                    workers.stream()
                            .map(url -> "\"" + url + "\"")
                            .collect(Collectors.joining(",", "{\"urls\":[", "]}")));
        } else {
            if (path.startsWith("/v1/")) {
                strayCalls.add(path);
            }
            answer(exchange, 404, "");
        }
    }

    private String newList() {
        var listed = workers.stream()
                .map(url -> "{\"id\":\"e43e074a-" + url.hashCode() + "\",\"url\":\"" + url
                        + "\",\"model_id\":\"unknown\",\"priority\":50,\"cost\":1.0,\"worker_type\":\"regular\","
                        + "\"is_healthy\":true,\"load\":0,\"connection_mode\":\"HTTP\",\"disable_health_check\":false}")
                .collect(Collectors.joining(","));
        return "{\"workers\":[" + listed + "],\"total\":" + workers.size()
                + ",\"stats\":{\"prefill_count\":0,\"decode_count\":0,\"regular_count\":" + workers.size() + "}}";
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        try (exchange) {
            var bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
