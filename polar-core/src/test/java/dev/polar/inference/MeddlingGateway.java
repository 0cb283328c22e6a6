package dev.polar.inference;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands between a node and an engine, as a load balancer or a router does, and does something with the ids of requests that go through it. */
public final class MeddlingGateway implements AutoCloseable {
    /** What it does with ids. */
    public enum Ids {
        PASSED,
        /** The engine never sees them. */
        STRIPPED,
        /** Answered with 400. */
        REFUSED
    }

    private static final List<String> KEYS = List.of("input_ids", "kv_transfer_params", "prompt_token_ids");

    private final String engine;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final AtomicInteger withIds = new AtomicInteger();
    private final AtomicInteger renderings = new AtomicInteger();
    private volatile Ids ids;

    /** @param engine base URL of the real one */
    public MeddlingGateway(String engine, Ids ids) throws IOException {
        this.engine = engine;
        this.ids = ids;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            try (exchange) {
                pass(exchange);
            } catch (InterruptedException closed) {
                throw new IOException(closed);
            }
        });
        server.start();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** From now on. */
    public void does(Ids value) {
        ids = value;
    }

    /** Chat requests that came with ids. */
    public int withIds() {
        return withIds.get();
    }

    /** Requests to render messages to ids. */
    public int renderings() {
        return renderings.get();
    }

    private void pass(HttpExchange exchange) throws IOException, InterruptedException {
        var body = exchange.getRequestBody().readAllBytes();
        var path = exchange.getRequestURI().getPath();
        renderings.addAndGet(path.endsWith("/tokenize") ? 1 : 0);
        if (path.endsWith("/chat/completions") && JsonTree.readLenient(body) instanceof ObjectNode request) {
            boolean given = KEYS.stream().anyMatch(request::has);
            withIds.addAndGet(given ? 1 : 0);
            if (given && ids == Ids.REFUSED) {
                answer(
                        exchange,
                        400,
                        "application/json",
                        "{\"error\":{\"message\":\"ids are not taken here\",\"type\":\"BadRequestError\",\"param\":null,\"code\":400}}"
                                .getBytes(StandardCharsets.UTF_8));
                return;
            }
            if (given && ids == Ids.STRIPPED) {
                body = JsonTree.write(request.remove(KEYS));
            }
        }
        var forwarded = HttpRequest.newBuilder(URI.create(engine + exchange.getRequestURI()))
                .header("Content-Type", "application/json")
                .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        var got = http.send(forwarded, HttpResponse.BodyHandlers.ofByteArray());
        answer(
                exchange,
                got.statusCode(),
                got.headers().firstValue("content-type").orElse("application/json"),
                got.body());
    }

    private static void answer(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        http.close();
    }
}
