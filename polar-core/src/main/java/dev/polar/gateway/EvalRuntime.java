package dev.polar.gateway;

import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.PrepareAction;
import dev.polar.spi.Runtime;
import dev.polar.spi.RuntimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/** The fresh runtime that an evaluator asked for: set up on a thread of its own, beside the agent's run. Thread-safe. */
final class EvalRuntime implements RuntimeSource {
    private static final Duration END_LIMIT = Duration.ofSeconds(60);

    private final Sandbox sandbox;
    private final List<PrepareAction> actions;
    private final Deadline budget;
    private final String sessionId;
    private final StopSignal stop = new StopSignal();
    // Its times are not the session's: they pass beside the run.
    private final SessionClock clock = new SessionClock();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();
    private boolean begun;
    private volatile Throwable problem;

    EvalRuntime(Sandbox sandbox, List<PrepareAction> actions, Deadline budget, String sessionId) {
        this.sandbox = sandbox;
        this.actions = actions;
        this.budget = budget;
        this.sessionId = sessionId;
    }

    /** Begins to set it up, unless that was begun or it was closed. */
    void warm() {
        lock.lock();
        try {
            if (!begun) {
                begun = true;
                Thread.ofVirtual().name("eval-" + sessionId).start(this::setUp);
            }
        } finally {
            lock.unlock();
        }
    }

    private void setUp() {
        try {
            stop.within(budget, () -> {
                sandbox.start(clock);
                sandbox.prepare(actions, clock);
            });
        } catch (SessionStopped | RuntimeException | LinkageError failed) {
            problem = failed;
        } finally {
            ended.countDown();
        }
    }

    @Override
    public Runtime get() throws InterruptedException {
        warm();
        ended.await();
        return switch (problem) {
            case null -> sandbox.runtime();
            case ExtensionException failed ->
                throw new ExtensionException(
                        failed.category(), "the evaluator's runtime: " + Messages.of(failed), failed);
            case SessionStopped stopped ->
                throw new ExtensionException(
                        Category.TIMEOUT, "the evaluator's runtime was not ready before the budget ran out", stopped);
            case Throwable failed ->
                throw new ExtensionException(
                        Category.INFRASTRUCTURE, "the evaluator's runtime: " + Messages.of(failed), failed);
        };
    }

    /** Ends it, also while it is set up. */
    void close(SessionClock session) {
        stop.cancel(SessionStopped.Reason.CANCELLED);
        lock.lock();
        try {
            if (!begun) {
                begun = true;
                ended.countDown();
            }
        } finally {
            lock.unlock();
        }
        CleanUp.run("ending the set-up of the evaluator's runtime of session " + sessionId, END_LIMIT, ended::await);
        sandbox.stop(session);
    }
}
