package dev.polar.bench;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** Callers that ask for streams, one after the other, and read them to their ends. */
final class StreamLoad {
    /** Stands before and after a time in a text. */
    private static final char MARK = '@';

    private final int port;
    private final byte[] request;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger stamps = new AtomicInteger();
    private final int calls;
    private final long[] late;

    private StreamLoad(int port, byte[] request, int calls) {
        this.port = port;
        this.request = request;
        this.calls = calls;
        this.late = new long[calls * StreamingUpstream.DELTAS];
    }

    /**
     * What a run found.
     *
     * @param events deltas
     * @param median from the upstream's write to the caller's read; zero where the deltas have no times
     * @param p99 the same, for one in a hundred
     */
    record Result(int events, Duration took, Duration median, Duration p99) {
        double perSecond() {
            return events / (took.toNanos() / 1e9);
        }
    }

    /** The time, for a text. */
    static String stamp() {
        return MARK + Long.toString(System.nanoTime()) + MARK;
    }

    /** An API and its request for a stream. */
    enum Api {
        CHAT("/v1/chat/completions", "\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"go\"}]"),
        MESSAGES(
                "/v1/messages",
                "\"stream\":true,\"max_tokens\":4096,\"messages\":[{\"role\":\"user\",\"content\":\"go\"}]"),
        RESPONSES("/v1/responses", "\"stream\":true,\"store\":false,\"input\":\"go\"");

        private final String path;
        private final String body;

        Api(String path, String body) {
            this.path = path;
            this.body = "{\"model\":\"bench\"," + body + "}";
        }

        private byte[] request(String key) {
            return ("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + key
                            + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n"
                            + body)
                    .getBytes(StandardCharsets.US_ASCII);
        }
    }

    static Result run(int port, String key, Api api, int callers, int calls) throws InterruptedException {
        var load = new StreamLoad(port, api.request(key), calls);
        long started = System.nanoTime();
        var threads = new Thread[callers];
        for (int i = 0; i < callers; i++) {
            threads[i] = Thread.ofVirtual().start(load::call);
        }
        for (var thread : threads) {
            thread.join();
        }
        var took = Duration.ofNanos(System.nanoTime() - started);
        if (load.next.get() < calls + callers) {
            throw new IllegalStateException("not every call was answered");
        }
        var times = Arrays.copyOf(load.late, load.stamps.get());
        Arrays.sort(times);
        return new Result(
                calls * StreamingUpstream.DELTAS,
                took,
                Duration.ofNanos(times.length == 0 ? 0 : times[times.length / 2]),
                Duration.ofNanos(times.length == 0 ? 0 : times[(int) (times.length * 0.99)]));
    }

    private void call() {
        try (var socket = new Socket("127.0.0.1", port)) {
            socket.setTcpNoDelay(true);
            var in = new BufferedInputStream(socket.getInputStream(), 32_768);
            while (next.getAndIncrement() < calls) {
                socket.getOutputStream().write(request);
                var head = Http.head(in);
                if (head == null || !head.firstLine().contains(" 200 ")) {
                    throw new IOException("answered with " + head);
                }
                body(in);
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /** A chunked body; an event comes in one chunk, or in one with others. */
    private void body(BufferedInputStream in) throws IOException {
        int seen = 0;
        while (true) {
            int size = Integer.parseInt(Http.line(in).strip(), 16);
            var chunk = in.readNBytes(size);
            in.skipNBytes(2);
            if (size == 0) {
                return;
            }
            seen += times(chunk, StreamingUpstream.DELTAS - seen);
        }
    }

    /** Some APIs tell the whole text once more at its end: the first {@code most} times alone are those of deltas. */
    private int times(byte[] chunk, int most) {
        long now = System.nanoTime();
        int seen = 0;
        for (int i = 0; i < chunk.length && seen < most; i++) {
            if (chunk[i] == MARK) {
                long then = 0;
                for (i++; i < chunk.length && chunk[i] != MARK; i++) {
                    then = then * 10 + chunk[i] - '0';
                }
                late[stamps.getAndIncrement()] = now - then;
                seen++;
            }
        }
        return seen;
    }
}
