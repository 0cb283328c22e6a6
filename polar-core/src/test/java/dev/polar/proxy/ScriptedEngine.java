package dev.polar.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A server that answers each request with the same body, written in pieces of a few bytes. */
final class ScriptedEngine implements AutoCloseable {
    private final ServerSocket server;
    private final String contentType;
    private final byte[] body;
    private final int piece;

    ScriptedEngine(String contentType, String body, int piece) throws IOException {
        this.contentType = contentType;
        this.body = body.getBytes(StandardCharsets.UTF_8);
        this.piece = piece;
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    String url() {
        return "http://127.0.0.1:" + server.getLocalPort();
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
            skipRequest(socket);
            socket.setTcpNoDelay(true);
            var out = socket.getOutputStream();
            out.write(("HTTP/1.1 200 OK\r\nContent-Type: " + contentType + "\r\nConnection: close\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            for (int from = 0; from < body.length; from += piece) {
                out.write(body, from, Math.min(piece, body.length - from));
                out.flush();
            }
        } catch (IOException gone) {
            // the client went first
        }
    }

    private static void skipRequest(Socket socket) throws IOException {
        var in = socket.getInputStream();
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.read());
        }
        int at = head.toString().toLowerCase(java.util.Locale.ROOT).indexOf("content-length:");
        if (at >= 0) {
            in.skipNBytes(Long.parseLong(
                    head.substring(at + 15, head.indexOf("\r", at)).strip()));
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
