package dev.polar.proxy;

import dev.polar.inference.Delta;
import dev.polar.inference.EngineException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** An answer on its way to an agent that wants a stream: its head, what there is of it as it comes, and the least that keeps the agent waiting. For one call; not thread-safe. */
final class StreamedCall {
    /** As the provider names each answer. An agent that tells faults that pass from those that stay by it (Qwen Code) does not go on after an error within a stream that has none. */
    static final String REQUEST_ID = "x-request-id";

    private final ProxyExchange exchange;
    private final AnswerStream stream;
    private final StreamTimes times;
    private final boolean oneToolCall;
    private boolean open;
    private long shown;
    private long written;

    /** @param oneToolCall the agent gets the first of several tool calls */
    StreamedCall(ProxyExchange exchange, AnswerStream stream, StreamTimes times, boolean oneToolCall) {
        this.exchange = exchange;
        this.stream = stream;
        this.times = times;
        this.oneToolCall = oneToolCall;
    }

    boolean isOpen() {
        return open;
    }

    /**
     * Relays until nothing more comes.
     *
     * @throws IOException where the agent has gone
     */
    void relay(DeltaQueue deltas) throws IOException {
        shown = System.nanoTime();
        written = shown;
        while (true) {
            var batch = poll(deltas, untilNext());
            if (batch.isEmpty() && deltas.isEnded()) {
                return;
            }
            if (!batch.isEmpty()) {
                open();
                show(stream.relay(oneToolCall ? firstCall(batch) : batch));
            }
            if (untilNext().isZero()) {
                sayNothing();
            }
        }
    }

    private static List<Delta> poll(DeltaQueue deltas, Duration limit) {
        try {
            return deltas.poll(limit);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new EngineException(EngineException.Kind.ABORTED, 503, "the server is stopping", null, null, stopped);
        }
    }

    private Duration untilNext() {
        var left = (open ? times.probe() : times.head()).minusNanos(System.nanoTime() - written);
        return left.isNegative() ? Duration.ZERO : left;
    }

    private void sayNothing() throws IOException {
        if (!open) {
            open();
            show(stream.open());
        } else if (System.nanoTime() - shown >= times.keepAlive().toNanos()) {
            show(stream.keepAlive());
        } else {
            write(stream.probe());
        }
    }

    private static List<Delta> firstCall(List<Delta> batch) {
        var kept = new ArrayList<Delta>(batch.size());
        for (var delta : batch) {
            boolean another = switch (delta) {
                case Delta.Call call -> call.number() > 0;
                case Delta.Arguments arguments -> arguments.number() > 0;
                case Delta.Begin _, Delta.Reasoning _, Delta.Text _, Delta.Logprobs _ -> false;
            };
            if (!another) {
                kept.add(delta);
            }
        }
        return kept;
    }

    /** The end of the answer, with all of it that was not relayed. */
    void finish(Reply reply) throws IOException {
        open();
        exchange.write(stream.answer(reply));
    }

    /** The error after which nothing follows, on a stream that is open. */
    void fail(Fault fault) throws IOException {
        exchange.write(stream.error(fault));
    }

    private void open() throws IOException {
        if (!open) {
            exchange.open(
                    stream.contentType(), Map.of(REQUEST_ID, UUID.randomUUID().toString()));
            open = true;
        }
    }

    private void show(byte[] bytes) throws IOException {
        write(bytes);
        if (bytes.length > 0) {
            shown = written;
        }
    }

    private void write(byte[] bytes) throws IOException {
        if (bytes.length > 0) {
            exchange.write(bytes);
            written = System.nanoTime();
        }
    }
}
