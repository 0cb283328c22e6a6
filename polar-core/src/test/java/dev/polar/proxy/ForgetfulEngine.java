package dev.polar.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that answers one request of each connection, says that the connection lives on, and closes it on the next request: as an engine does whose idle time has run out just then. */
final class ForgetfulEngine implements AutoCloseable {
    private static final String ANSWER =
            "{\"prompt_token_ids\":[1],\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"x\"},"
                    + "\"logprobs\":{\"content\":[{\"token\":\"x\",\"logprob\":-1.0}]},\"finish_reason\":\"stop\",\"token_ids\":[2]}]}";

    private final ServerSocket server;
    private final AtomicInteger answered = new AtomicInteger();

    ForgetfulEngine() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    String url() {
        return "http://127.0.0.1:" + server.getLocalPort();
    }

    int answered() {
        return answered.get();
    }

    private void accept() {
        try {
            while (true) {
                var socket = server.accept();
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException closed) {
            // the end
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            request(socket);
            var body = ANSWER.getBytes(StandardCharsets.UTF_8);
            // counted first: whoever has the answer looks at the count
            answered.incrementAndGet();
            socket.getOutputStream()
                    .write(("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + body.length
                                    + "\r\n\r\n" + ANSWER)
                            .getBytes(StandardCharsets.UTF_8));
            request(socket);
        } catch (IOException gone) {
            // the client went first
        }
    }

    /** Reads up to the end of one small request. */
    private static void request(Socket socket) throws IOException {
        var buffer = new byte[8192];
        var text = new StringBuilder();
        while (!text.toString().contains("]}")) {
            int count = socket.getInputStream().read(buffer);
            if (count < 0) {
                throw new IOException("closed");
            }
            text.append(new String(buffer, 0, count, StandardCharsets.UTF_8));
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
