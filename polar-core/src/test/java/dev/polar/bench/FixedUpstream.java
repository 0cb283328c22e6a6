package dev.polar.bench;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** An inference server that answers every chat request with the same bytes, so that it costs next to nothing itself. */
final class FixedUpstream implements AutoCloseable {
    static final int PROMPT_IDS = 500;
    static final int ANSWER_IDS = 100;
    private static final int TEXT_BYTES = 2_000;

    private final ServerSocket server;
    private final Hold hold;
    private final byte[] answer = response(answer());
    private final byte[] models = response(
            "{\"object\":\"list\",\"data\":[{\"id\":\"bench\",\"object\":\"model\",\"max_model_len\":131072}]}");
    private final byte[] health = response("");

    FixedUpstream() throws IOException {
        this(new Hold());
    }

    /** @param hold before an answer's first byte */
    FixedUpstream(Hold hold) throws IOException {
        this.hold = hold;
        server = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** What it answers. */
    static String text() {
        return "lorem ipsum dolor sit amet ".repeat(TEXT_BYTES / 27 + 1).substring(0, TEXT_BYTES);
    }

    private static String answer() {
        var body = new StringBuilder(
                "{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion\",\"created\":1795975178,\"model\":\"bench\","
                        + "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"");
        body.append(text());
        body.append("\",\"refusal\":null,\"reasoning\":null},\"logprobs\":{\"content\":[");
        for (int i = 0; i < ANSWER_IDS; i++) {
            body.append(i == 0 ? "" : ",")
                    .append("{\"token\":\" lorem\",\"logprob\":-")
                    .append(0.0123456789012345 * (i + 1))
                    .append(",\"bytes\":[32,108,111,114,101,109],\"top_logprobs\":[]}");
        }
        body.append("]},\"finish_reason\":\"stop\",\"stop_reason\":null,\"token_ids\":[");
        ids(body, ANSWER_IDS);
        body.append(
                "]}],\"usage\":{\"prompt_tokens\":500,\"total_tokens\":600,\"completion_tokens\":100,\"prompt_tokens_details\":null},"
                        + "\"prompt_logprobs\":null,\"prompt_token_ids\":[");
        ids(body, PROMPT_IDS);
        return body.append("]}").toString();
    }

    private static void ids(StringBuilder body, int count) {
        for (int i = 0; i < count; i++) {
            body.append(i == 0 ? "" : ",").append(1_000 + i * 37 % 30_000);
        }
    }

    private static byte[] response(String body) {
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
            while (true) {
                var head = Http.head(in);
                if (head == null) {
                    return;
                }
                in.skipNBytes(head.contentLength());
                if (head.firstLine().contains("/chat/completions")) {
                    hold.pass();
                    out.write(answer);
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
