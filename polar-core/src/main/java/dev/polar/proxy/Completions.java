package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.Cancellation;
import dev.polar.inference.EngineException;
import dev.polar.inference.JsonTree;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves model calls: the answer is on record before its first byte is written, and marked as delivered after its last. Thread-safe. */
final class Completions {
    static final String JSON = "application/json";

    private static final Logger LOG = LoggerFactory.getLogger(Completions.class);

    private final CallRunner runner;
    private final StreamTimes times;

    Completions(CallRunner runner, StreamTimes times) {
        this.runner = runner;
        this.times = times;
    }

    /**
     * Serves one call.
     *
     * @throws RefusedException where it is malformed: nothing was sent yet
     * @throws EngineException where there is no answer: nothing was sent yet
     * @throws IOException where the caller has gone
     */
    void serve(ProxyExchange exchange, Dialect dialect, AgentSession session, ObjectNode body) throws IOException {
        long sequence = session.recorder().nextSequence();
        try {
            serve(exchange, dialect, session, body, sequence);
        } catch (RefusedException refused) {
            session.failed(FailedCall.of(sequence, dialect.api(), refused.fault()));
            throw refused;
        }
    }

    private void serve(ProxyExchange exchange, Dialect dialect, AgentSession session, ObjectNode body, long sequence)
            throws IOException {
        var call = dialect.decode(body);
        var cancellation = new Cancellation();
        try (var _ = session.begin(cancellation::cancel)) {
            if (call.stream()) {
                stream(exchange, dialect, session, call, body, sequence, cancellation);
            } else {
                var answered = runner.answer(session, call, body, sequence, exchange.headers(), cancellation, null);
                exchange.respond(200, JSON, Map.of(), JsonTree.write(dialect.encode(call, answered.reply())));
                delivered(session, answered);
            }
        }
    }

    private void stream(
            ProxyExchange exchange,
            Dialect dialect,
            AgentSession session,
            ChatCall call,
            ObjectNode body,
            long sequence,
            Cancellation cancellation)
            throws IOException {
        var headers = exchange.headers();
        var deltas = new DeltaQueue();
        var task = new FutureTask<>(() -> runner.answer(session, call, body, sequence, headers, cancellation, deltas)) {
            @Override
            protected void done() {
                deltas.end();
            }
        };
        Thread.ofVirtual().name("polar-engine-call").start(task);
        var out = new StreamedCall(
                exchange, dialect.stream(call), times, call.wishes().oneToolCall());
        try {
            out.relay(deltas);
            var answered = result(task);
            out.finish(answered.reply());
            delivered(session, answered);
        } catch (EngineException failure) {
            if (!out.isOpen()) {
                throw failure;
            }
            out.fail(Fault.of(failure));
        } finally {
            // nothing goes on for a caller that has gone, and nothing of the session outlives its call
            cancellation.cancel();
            settle(task);
        }
    }

    private static AnsweredCall result(FutureTask<AnsweredCall> task) {
        return switch (task.state()) {
            case SUCCESS -> task.resultNow();
            case FAILED -> throw unchecked(task.exceptionNow());
            case RUNNING, CANCELLED -> throw new IllegalStateException("the call has not ended");
        };
    }

    private static RuntimeException unchecked(Throwable failure) {
        return failure instanceof RuntimeException runtime ? runtime : new IllegalStateException(failure);
    }

    private static void settle(FutureTask<AnsweredCall> task) {
        boolean interrupted = false;
        while (!task.isDone()) {
            try {
                task.get();
            } catch (ExecutionException ended) {
                LOG.debug("a call ended", ended);
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void delivered(AgentSession session, AnsweredCall answered) {
        if (answered.completionId() != null) {
            session.recorder().delivered(answered.completionId());
        }
    }
}
