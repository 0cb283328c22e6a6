package dev.polar.bench;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** Callers that ask as fast as they are answered. */
final class Load {
    private static final int TEXT_BYTES = 2_000;

    private Load() {}

    /**
     * What a run found.
     *
     * @param calls answered with 200
     */
    record Result(int calls, Duration took, Duration median, Duration p99) {
        double perSecond() {
            return calls / (took.toNanos() / 1e9);
        }
    }

    static Result run(int port, String key, int callers, int calls) throws InterruptedException {
        var request = request(key);
        var next = new AtomicInteger();
        var nanos = new long[calls];
        long started = System.nanoTime();
        var threads = new Thread[callers];
        for (int i = 0; i < callers; i++) {
            threads[i] = Thread.ofVirtual().start(() -> call(port, request, next, nanos));
        }
        for (var thread : threads) {
            thread.join();
        }
        var took = Duration.ofNanos(System.nanoTime() - started);
        if (Arrays.stream(nanos).anyMatch(one -> one == 0)) {
            throw new IllegalStateException("not every call was answered");
        }
        Arrays.sort(nanos);
        return new Result(
                calls, took, Duration.ofNanos(nanos[calls / 2]), Duration.ofNanos(nanos[(int) (calls * 0.99)]));
    }

    private static void call(int port, byte[] request, AtomicInteger next, long[] nanos) {
        try (var socket = new Socket("127.0.0.1", port)) {
            socket.setTcpNoDelay(true);
            var in = new BufferedInputStream(socket.getInputStream(), 16_384);
            for (int index = next.getAndIncrement(); index < nanos.length; index = next.getAndIncrement()) {
                long started = System.nanoTime();
                socket.getOutputStream().write(request);
                var head = Http.head(in);
                if (head == null || !head.firstLine().contains(" 200 ")) {
                    throw new IOException("answered with " + head);
                }
                in.skipNBytes(head.contentLength());
                nanos[index] = System.nanoTime() - started;
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static byte[] request(String key) {
        var body =
                "{\"model\":\"bench\",\"temperature\":1.0,\"max_tokens\":4096,\"messages\":[{\"role\":\"system\",\"content\":\"You are terse.\"},"
                        + "{\"role\":\"user\",\"content\":\"" + "lorem ipsum dolor sit amet ".repeat(TEXT_BYTES / 27)
                        + "\"}]}";
        return ("POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + key
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }
}
