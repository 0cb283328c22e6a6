package dev.polar.bench;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** The listening side of a bench's inference server, on a free port: each connection on a virtual thread, its chat requests left to a bench's own answer. */
final class Upstream implements AutoCloseable {
    private static final int BACKLOG = 1024;

    /** Answers a chat request whose body was read. */
    interface Chat {
        void answer(OutputStream out) throws IOException, InterruptedException;
    }

    private final ServerSocket server = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    private final byte[] health = response("");
    private final byte[] models;
    private final Chat chat;

    /** @param window of the one model, in tokens */
    Upstream(int window, Chat chat) throws IOException {
        this.chat = chat;
        this.models =
                response("{\"object\":\"list\",\"data\":[{\"id\":\"bench\",\"object\":\"model\",\"max_model_len\":"
                        + window + "}]}");
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** A whole answer. */
    static byte[] response(String body) {
        return ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n"
                        + body)
                .getBytes(StandardCharsets.US_ASCII);
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
            socket.setTcpNoDelay(true);
            var in = new BufferedInputStream(socket.getInputStream(), 16_384);
            var out = socket.getOutputStream();
            for (var head = Http.head(in); head != null; head = Http.head(in)) {
                in.skipNBytes(head.contentLength());
                if (head.firstLine().contains("/chat/completions")) {
                    chat.answer(out);
                } else {
                    out.write(head.firstLine().contains("/models") ? models : health);
                }
            }
        } catch (IOException | InterruptedException gone) {
            // the caller went first
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
