package dev.polar.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One caller with one streamed call: counts itself in when its stream's head and first event are there, and is done when all of its answer is.
 *
 * @param question text of its one message
 * @param opened callers that have their streams' heads
 * @param expected text of the answer
 */
record HeldCaller(Api api, int port, String key, String question, AtomicInteger opened, String expected)
        implements Callable<Void> {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** An API: its path, what ends its streams, and where its deltas have text. */
    enum Api {
        CHAT("/v1/chat/completions", "data: [DONE]", "/choices/0/delta/content"),
        MESSAGES("/v1/messages", "data: {\"type\":\"message_stop\"}", "/delta/text");

        private final String path;
        private final String end;
        private final String text;

        Api(String path, String end, String text) {
            this.path = path;
            this.end = end;
            this.text = text;
        }
    }

    @Override
    public Void call() throws IOException {
        try (var socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream().write(request());
            var in = new BufferedInputStream(socket.getInputStream(), 8_192);
            var head = Http.head(in);
            if (head == null || !head.firstLine().contains(" 200 ")) {
                throw new IOException("answered with " + head);
            }
            check(body(in));
            return null;
        }
    }

    private byte[] request() {
        var body =
                "{\"model\":\"bench\",\"stream\":true,\"max_tokens\":4096,\"messages\":[{\"role\":\"user\",\"content\":\""
                        + question + "\"}]}";
        return ("POST " + api.path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + key
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    private String body(BufferedInputStream in) throws IOException {
        var all = new ByteArrayOutputStream();
        boolean counted = false;
        while (true) {
            var line = Http.line(in);
            if (line == null) {
                throw new IOException("the stream broke off after " + all);
            }
            int size = Integer.parseInt(line.strip(), 16);
            all.writeBytes(in.readNBytes(size));
            in.skipNBytes(2);
            if (size == 0) {
                return all.toString(StandardCharsets.UTF_8);
            }
            if (!counted) {
                counted = true;
                opened.incrementAndGet();
            }
        }
    }

    private void check(String body) throws IOException {
        var text = new StringBuilder();
        boolean ended = false;
        for (var line : body.lines().filter(one -> one.startsWith("data: ")).toList()) {
            ended = line.equals(api.end);
            if (line.startsWith("data: {")) {
                text.append(delta(JSON.readTree(line.substring(6))));
            }
        }
        if (!ended || !expected.contentEquals(text)) {
            throw new IOException(api + " got no whole answer: " + body);
        }
    }

    private String delta(JsonNode event) {
        return event.at(api.text).asText("");
    }
}
