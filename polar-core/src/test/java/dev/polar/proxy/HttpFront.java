package dev.polar.proxy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A real HTTP server before a proxy: the JDK's, in place of the application server's. */
final class HttpFront implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    HttpFront(Proxy proxy) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 256);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            try (exchange) {
                proxy.serve(new Carried(exchange));
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
        threads.shutdownNow();
    }

    private record Carried(HttpExchange exchange) implements ProxyExchange {
        @Override
        public String method() {
            return exchange.getRequestMethod();
        }

        @Override
        public String path() {
            return exchange.getRequestURI().getPath();
        }

        @Override
        public String query(String name) {
            var query = exchange.getRequestURI().getQuery();
            if (query != null) {
                for (var pair : query.split("&")) {
                    if (pair.startsWith(name + "=")) {
                        return pair.substring(name.length() + 1);
                    }
                }
            }
            return null;
        }

        @Override
        public String header(String name) {
            return exchange.getRequestHeaders().getFirst(name);
        }

        @Override
        public Map<String, String> headers() {
            var headers = new HashMap<String, String>();
            exchange.getRequestHeaders()
                    .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
            return headers;
        }

        @Override
        public long contentLength() {
            var length = header("content-length");
            return length == null ? -1 : Long.parseLong(length);
        }

        @Override
        public InputStream body() {
            return exchange.getRequestBody();
        }

        @Override
        public void respond(int status, String contentType, Map<String, String> headers, byte[] body)
                throws IOException {
            // The JDK's server resets a connection whose request it has not read, and the answer with it.
            if (contentLength() > 0) {
                exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
            }
            exchange.getResponseHeaders().set("Content-Type", contentType);
            headers.forEach(exchange.getResponseHeaders()::set);
            boolean head = method().equals("HEAD");
            exchange.sendResponseHeaders(status, head ? -1 : body.length);
            if (!head) {
                exchange.getResponseBody().write(body);
            }
        }

        @Override
        public void open(String contentType, Map<String, String> headers) throws IOException {
            exchange.getResponseHeaders().set("Content-Type", contentType);
            headers.forEach(exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(200, 0);
        }

        @Override
        public void write(byte[] bytes) throws IOException {
            exchange.getResponseBody().write(bytes);
            exchange.getResponseBody().flush();
        }
    }
}
