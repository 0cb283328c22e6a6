package dev.polar.sim;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * Which requests run, wait or are frozen, and what stops them: the part of an engine that pauses, aborts and counts. A run belongs to the thread that began it; all
 * else may be called from any thread.
 */
final class Scheduler {
    /** How a run was stopped from outside. */
    enum Stop {
        /** It goes on. */
        NONE,
        /** It ends with its next token. */
        WITH_TOKEN,
        /** It ends at once. */
        AT_ONCE,
        /** Nobody listens any more. */
        DISCONNECTED
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<Run> running = new LinkedHashSet<>();
    private boolean paused;
    private boolean frozen;
    private boolean closed;
    private int waiting;
    private volatile String weightVersion = "default";

    /** One request in the engine. */
    final class Run implements AutoCloseable {
        private final String id;
        private Stop stop = Stop.NONE;

        private Run(String id) {
            this.id = id;
        }

        String id() {
            return id;
        }

        /** Ends the run from any thread; a stronger stop replaces a weaker one. */
        void stop(Stop how) {
            lock.lock();
            try {
                stop = how.compareTo(stop) > 0 ? how : stop;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** Waits its turn: for {@code latency} and while the engine is frozen. Returns early when it was stopped. */
        Stop await(Duration latency) throws InterruptedException {
            lock.lock();
            try {
                long left = latency.toNanos();
                while (stop == Stop.NONE && !closed && (frozen || left > 0)) {
                    if (frozen) {
                        changed.await();
                    } else {
                        left = changed.awaitNanos(left);
                    }
                }
                return closed ? Stop.DISCONNECTED : stop;
            } finally {
                lock.unlock();
            }
        }

        /** Waits until it is stopped from outside. */
        void awaitStop() throws InterruptedException {
            lock.lock();
            try {
                while (stop == Stop.NONE && !closed) {
                    changed.await();
                }
            } finally {
                lock.unlock();
            }
        }

        /** Lets a request in: waits while the engine is paused. False when it was stopped meanwhile. */
        private boolean enter() throws InterruptedException {
            waiting++;
            try {
                while (paused && stop == Stop.NONE && !closed) {
                    changed.await();
                }
            } finally {
                waiting--;
            }
            return stop == Stop.NONE && !closed && running.add(this);
        }

        @Override
        public void close() {
            lock.lock();
            try {
                running.remove(this);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** A request that has not entered yet. */
    Run register(String id) {
        return new Run(id);
    }

    /** Waits while the engine is paused, then counts {@code run} as running. False when it was stopped before. */
    boolean enter(Run run) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            return run.enter();
        } finally {
            lock.unlock();
        }
    }

    /** No request enters from now on; those that run are aborted with their next token. */
    void pauseAborting() {
        pause(false);
        abort(run -> true, Stop.WITH_TOKEN);
    }

    /** No request enters from now on; returns when none runs any more. */
    void pauseWaiting() throws InterruptedException {
        pause(false);
        lock.lock();
        try {
            while (!running.isEmpty() && paused && !closed) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** No request enters from now on, and those that run stand still. */
    void pauseKeeping() {
        pause(true);
    }

    void resume() {
        lock.lock();
        try {
            paused = false;
            frozen = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isPaused() {
        lock.lock();
        try {
            return paused;
        } finally {
            lock.unlock();
        }
    }

    /** Stops the running requests that {@code which} names; returns how many. */
    int abort(Predicate<Run> which, Stop how) {
        lock.lock();
        try {
            int count = 0;
            for (Run run : running) {
                if (which.test(run)) {
                    run.stop(how);
                    count++;
                }
            }
            return count;
        } finally {
            lock.unlock();
        }
    }

    int running() {
        lock.lock();
        try {
            return running.size();
        } finally {
            lock.unlock();
        }
    }

    int waiting() {
        lock.lock();
        try {
            return waiting;
        } finally {
            lock.unlock();
        }
    }

    String weightVersion() {
        return weightVersion;
    }

    void weightVersion(String version) {
        weightVersion = version;
    }

    /** Ends everything, as if all callers had gone. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void pause(boolean freeze) {
        lock.lock();
        try {
            paused = true;
            frozen = freeze;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
