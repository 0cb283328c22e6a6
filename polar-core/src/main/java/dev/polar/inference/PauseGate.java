package dev.polar.inference;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** What generations pass before they start: while it is paused they wait, and a pause is done when those that had started have ended. Thread-safe. */
public final class PauseGate {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean paused;
    private int inFlight;

    /**
     * Waits while the gate is paused, however long that is.
     *
     * @return to be closed when the generation has ended
     * @throws EngineException of kind ABORTED when the call is cancelled meanwhile
     */
    public Pass enter(Cancellation cancellation) {
        lock.lock();
        try {
            if (paused) {
                cancellation.whileIn(this::wake);
                try {
                    while (paused && !cancellation.isCancelled()) {
                        changed.awaitUninterruptibly();
                    }
                } finally {
                    cancellation.done();
                }
            }
            cancellation.check();
            inFlight++;
            return new Pass(this);
        } finally {
            lock.unlock();
        }
    }

    /** The same without waiting: empty while the gate is paused. */
    Optional<Pass> enterNow() {
        lock.lock();
        try {
            if (paused) {
                return Optional.empty();
            }
            inFlight++;
            return Optional.of(new Pass(this));
        } finally {
            lock.unlock();
        }
    }

    /**
     * From now on new generations wait; waits until the running ones have ended.
     *
     * @return false where some still ran after {@code timeout}: the gate stays paused
     */
    public boolean pause(Duration timeout) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            paused = true;
            long left = timeout.toNanos();
            while (paused && inFlight > 0 && left > 0) {
                left = changed.awaitNanos(left);
            }
            return inFlight == 0;
        } finally {
            lock.unlock();
        }
    }

    /** Lets the waiting ones go. */
    public void resume() {
        lock.lock();
        try {
            paused = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public boolean isPaused() {
        lock.lock();
        try {
            return paused;
        } finally {
            lock.unlock();
        }
    }

    /** Generations that have passed and not ended. */
    public int inFlight() {
        lock.lock();
        try {
            return inFlight;
        } finally {
            lock.unlock();
        }
    }

    /** For a generation that the engine cut off and that is asked again: waits for {@code limit}, or until the gate is paused, when {@link #enter} goes on waiting. */
    void backOff(Cancellation cancellation, Duration limit) {
        lock.lock();
        try {
            cancellation.whileIn(this::wake);
            long left = limit.toNanos();
            while (left > 0 && !paused && !cancellation.isCancelled()) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw EngineException.aborted();
        } finally {
            cancellation.done();
            lock.unlock();
        }
        cancellation.check();
    }

    private void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void leave() {
        lock.lock();
        try {
            inFlight--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** One generation that runs. To be closed once. */
    public static final class Pass implements AutoCloseable {
        private final PauseGate gate;

        private Pass(PauseGate gate) {
            this.gate = gate;
        }

        @Override
        public void close() {
            gate.leave();
        }
    }
}
