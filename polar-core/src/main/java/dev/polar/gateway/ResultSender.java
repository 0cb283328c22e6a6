package dev.polar.gateway;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends results until the rollout server acknowledges them, however long that takes. What is not acknowledged when the node stops is sent after its next start. Thread-safe. */
final class ResultSender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ResultSender.class);
    private static final int AT_ONCE = 8;

    private final RolloutLink link;
    private final ResultSpool spool;
    private final Duration firstBackoff;
    private final Duration longestBackoff;
    private final Semaphore lines = new Semaphore(AT_ONCE, true);
    private final Set<Thread> senders = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** A result, in a file or, where it could not be spooled, in memory. */
    @FunctionalInterface
    private interface Attempt {
        RolloutLink.Answer send() throws IOException;
    }

    ResultSender(RolloutLink link, ResultSpool spool, Duration firstBackoff, Duration longestBackoff) {
        this.link = link;
        this.spool = spool;
        this.firstBackoff = firstBackoff;
        this.longestBackoff = longestBackoff;
    }

    /** Sends a spooled result, on a thread of its own. */
    void send(Path pending) {
        start(pending.getFileName().toString(), () -> {
            deliver(pending.getFileName().toString(), () -> link.result(pending));
            spool.acknowledged(pending);
        });
    }

    /** Sends a result that the disk did not take. */
    void send(String sessionId, byte[] result) {
        start(sessionId, () -> deliver(sessionId, () -> link.result(result)));
    }

    private void start(String name, CleanUp.Task task) {
        var sender = Thread.ofVirtual().name("result-" + name).unstarted(() -> {
            try {
                task.run();
            } catch (InterruptedException closing) {
                // The result stays where it is.
            } catch (Exception problem) {
                LOG.error("the result {} was acknowledged, but cannot be filed: {}", name, Messages.of(problem));
            } finally {
                senders.remove(Thread.currentThread());
            }
        });
        senders.add(sender);
        if (closed) {
            senders.remove(sender);
        } else {
            sender.start();
        }
    }

    /** Returns once it is acknowledged. */
    private void deliver(String name, Attempt attempt) throws InterruptedException {
        var backoff = firstBackoff;
        String reported = null;
        while (!closed) {
            var problem = once(attempt);
            if (problem == null) {
                return;
            }
            // The same trouble is told once.
            if (!problem.equals(reported)) {
                LOG.warn("the result {} is not acknowledged, it is kept and sent again: {}", name, problem);
                reported = problem;
            }
            Thread.sleep(backoff);
            backoff = backoff.multipliedBy(2).compareTo(longestBackoff) > 0 ? longestBackoff : backoff.multipliedBy(2);
        }
        throw new InterruptedException("the node stops");
    }

    /** Null where it was acknowledged, else why not. */
    private String once(Attempt attempt) throws InterruptedException {
        lines.acquire();
        try {
            var answer = attempt.send();
            return answer.ok() ? null : "the rollout server answers " + answer.status() + detail(answer);
        } catch (IOException unreachable) {
            if (closed) {
                throw new InterruptedException();
            }
            return Messages.of(unreachable);
        } finally {
            lines.release();
        }
    }

    private static String detail(RolloutLink.Answer answer) {
        var detail = answer.body() == null ? null : answer.body().path("detail").asText(null);
        return detail == null ? "" : ": " + detail;
    }

    /** Results that are being sent. */
    int pending() {
        return senders.size();
    }

    /** Waits until all is acknowledged, or the time is over. */
    void drain(Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        for (var sender : senders) {
            sender.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
        }
    }

    @Override
    public void close() {
        closed = true;
        senders.forEach(Thread::interrupt);
    }
}
