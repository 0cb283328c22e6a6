package dev.polar.inference;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands in for an engine that lists its models in some way and answers to some names; it generates nothing. */
final class EngineStandIn implements AutoCloseable {
    /** The bodies of its generations. */
    final List<String> asked = new CopyOnWriteArrayList<>();

    private final HttpServer server;

    /**
     * @param models the body of its list; null where it has none
     * @param status of the answer to any generation
     */
    EngineStandIn(String models, int status) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                boolean list = exchange.getRequestURI().getPath().equals("/v1/models");
                boolean chat = exchange.getRequestURI().getPath().equals("/v1/chat/completions");
                if (chat) {
                    asked.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
                }
                var body = (list && models != null ? models : "{}").getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(list && models != null ? 200 : chat ? status : 404, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
