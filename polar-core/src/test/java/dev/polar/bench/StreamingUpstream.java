package dev.polar.bench;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** An inference server that streams the same answer to every chat request: at once and as one piece of bytes, or paced, each delta with the time when it was written. */
final class StreamingUpstream implements AutoCloseable {
    static final int DELTAS = 200;
    private static final int PROMPT_IDS = 500;
    private static final String TEXT = " lorem ipsum";
    private static final int WINDOW = 131_072;

    private final Upstream server;
    private final Duration pace;
    private final Hold hold;
    private final byte[] head =
            ("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
    private final byte[] first = role();
    private final byte[] last = end();
    private final byte[] atOnce;

    /** @param pace time between two deltas; zero for all at once */
    StreamingUpstream(Duration pace) throws IOException {
        this(pace, new Hold());
    }

    /** @param hold after a stream's first chunk; what was held comes at once */
    StreamingUpstream(Duration pace, Hold hold) throws IOException {
        this.pace = pace;
        this.hold = hold;
        var all = new ByteArrayOutputStream();
        all.writeBytes(head);
        all.writeBytes(first);
        for (int i = 0; i < DELTAS; i++) {
            all.writeBytes(delta(i, TEXT));
        }
        all.writeBytes(last);
        atOnce = all.toByteArray();
        server = new Upstream(WINDOW, this::answer);
    }

    int port() {
        return server.port();
    }

    /** What it answers where it is not paced. */
    static String text() {
        return TEXT.repeat(DELTAS);
    }

    private static byte[] event(String data) {
        var event = "data: " + data + "\n\n";
        return (Integer.toHexString(event.length()) + "\r\n" + event + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    private static String chunk(String rest) {
        return "{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion.chunk\",\"created\":1795975178,\"model\":\"bench\",\"choices\":["
                + rest + "}";
    }

    private static byte[] role() {
        var ids = new StringBuilder();
        for (int i = 0; i < PROMPT_IDS; i++) {
            ids.append(i == 0 ? "" : ",").append(1_000 + i * 37 % 30_000);
        }
        return event(chunk(
                "{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,\"finish_reason\":null}],\"prompt_token_ids\":["
                        + ids + "],\"prompt_text\":null"));
    }

    private static byte[] delta(int number, String text) {
        return event(chunk("{\"index\":0,\"delta\":{\"content\":\"" + text
                + "\"},\"logprobs\":{\"content\":[{\"token\":\" lorem\",\"logprob\":-"
                + 0.0123456789012345 * (number + 1)
                + ",\"bytes\":[32,108,111,114,101,109],\"top_logprobs\":[]}]},\"finish_reason\":null,\"token_ids\":["
                + (1_000 + number) + "]}]"));
    }

    private static byte[] end() {
        var out = new ByteArrayOutputStream();
        out.writeBytes(
                event(
                        chunk(
                                "{\"index\":0,\"delta\":{},\"logprobs\":{\"content\":[]},\"finish_reason\":\"stop\",\"stop_reason\":null,\"token_ids\":[]}]")));
        out.writeBytes(event(chunk("],\"usage\":{\"prompt_tokens\":" + PROMPT_IDS + ",\"total_tokens\":"
                + (PROMPT_IDS + DELTAS) + ",\"completion_tokens\":" + DELTAS + "}")));
        out.writeBytes(event("[DONE]"));
        out.writeBytes("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return out.toByteArray();
    }

    private void answer(OutputStream out) throws IOException, InterruptedException {
        if (hold.isShut()) {
            int begun = head.length + first.length;
            out.write(atOnce, 0, begun);
            hold.pass();
            out.write(atOnce, begun, atOnce.length - begun);
        } else if (pace.isZero()) {
            out.write(atOnce);
        } else {
            paced(out);
        }
    }

    private void paced(OutputStream out) throws IOException, InterruptedException {
        out.write(head);
        out.write(first);
        for (int i = 0; i < DELTAS; i++) {
            Thread.sleep(pace);
            out.write(delta(i, StreamLoad.stamp()));
        }
        out.write(last);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
