package dev.polar.proxy;

import dev.polar.inference.Delta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Between the thread that listens to the engine and the one that writes to the agent: what has come since the last time is taken together, and written together. Thread-safe. */
final class DeltaQueue implements Consumer<Delta> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private List<Delta> waiting = new ArrayList<>();
    private boolean taken;
    private boolean ended;

    @Override
    public void accept(Delta delta) {
        lock.lock();
        try {
            if (waiting.isEmpty()) {
                changed.signal();
            }
            waiting.add(delta);
        } finally {
            lock.unlock();
        }
    }

    /** Nothing more comes. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Takes back what was not yet taken. @return false where something was taken: then it stays as it is */
    boolean withdraw() {
        lock.lock();
        try {
            if (!taken) {
                waiting.clear();
            }
            return !taken;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until something has come, nothing more comes, or {@code limit} is over.
     *
     * @return what has come, in order; may be empty
     */
    List<Delta> poll(Duration limit) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = limit.toNanos();
            while (waiting.isEmpty() && !ended && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (waiting.isEmpty()) {
                // never the list itself: what comes next would stand in it, and be taken again
                return List.of();
            }
            var got = waiting;
            taken = true;
            waiting = new ArrayList<>();
            return got;
        } finally {
            lock.unlock();
        }
    }

    /** True when nothing is there and nothing more comes. */
    boolean isEnded() {
        lock.lock();
        try {
            return ended && waiting.isEmpty();
        } finally {
            lock.unlock();
        }
    }
}
