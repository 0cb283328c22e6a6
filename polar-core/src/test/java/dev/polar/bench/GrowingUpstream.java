package dev.polar.bench;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** An inference server for one conversation: each answer's prompt ids are those of the turn before, what that sampled, and some more. */
final class GrowingUpstream implements AutoCloseable {
    private static final int SAMPLED = 100;

    private final ServerSocket server;
    private final int step;
    private int turn;

    /** @param step ids that each turn adds, the sampled ones among them */
    GrowingUpstream(int step) throws IOException {
        this.step = step;
        server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    private synchronized String answer() {
        turn++;
        int sampledTo = turn * step;
        int prompt = sampledTo - SAMPLED;
        var body = new StringBuilder(8 * sampledTo)
                .append(
                        "{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion\",\"created\":1795975178,\"model\":\"bench\",")
                .append("\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"answer ")
                .append(turn)
                .append("\",\"refusal\":null,\"reasoning\":null},\"logprobs\":{\"content\":[");
        for (int i = 0; i < SAMPLED; i++) {
            body.append(i == 0 ? "" : ",")
                    .append("{\"token\":\" lorem\",\"logprob\":-")
                    .append(0.0123456789012345 * (i + 1))
                    .append(",\"bytes\":[32,108,111,114,101,109],\"top_logprobs\":[]}");
        }
        body.append("]},\"finish_reason\":\"stop\",\"stop_reason\":null,\"token_ids\":[");
        ids(body, prompt, sampledTo);
        body.append("]}],\"usage\":{\"prompt_tokens\":")
                .append(prompt)
                .append(",\"total_tokens\":")
                .append(sampledTo)
                .append(",\"completion_tokens\":")
                .append(SAMPLED)
                .append(",\"prompt_tokens_details\":null},\"prompt_logprobs\":null,\"prompt_token_ids\":[");
        ids(body, 0, prompt);
        return body.append("]}").toString();
    }

    private static void ids(StringBuilder body, int from, int to) {
        for (int i = from; i < to; i++) {
            body.append(i == from ? "" : ",").append(10_000 + i * 37L % 90_000);
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
            var in = new BufferedInputStream(socket.getInputStream(), 16_384);
            while (true) {
                var head = Http.head(in);
                if (head == null) {
                    return;
                }
                in.skipNBytes(head.contentLength());
                var asked = head.firstLine();
                socket.getOutputStream()
                        .write(response(
                                asked.contains("/chat/completions")
                                        ? answer()
                                        : asked.contains("/models")
                                                ? "{\"object\":\"list\",\"data\":[{\"id\":\"bench\",\"object\":\"model\","
                                                        + "\"max_model_len\":10000000}]}"
                                                : ""));
            }
        } catch (IOException gone) {
            // the caller went first
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
