package dev.polar.bench;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps an upstream's answers back while it is shut; open at first. Thread-safe. */
final class Hold {
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile CountDownLatch latch = new CountDownLatch(0);

    void shut() {
        latch = new CountDownLatch(1);
    }

    void open() {
        latch.countDown();
    }

    boolean isShut() {
        return latch.getCount() > 0;
    }

    /** Calls that are kept back now. */
    int waiting() {
        return waiting.get();
    }

    /** Returns when it is open. */
    void pass() throws InterruptedException {
        waiting.incrementAndGet();
        try {
            latch.await();
        } finally {
            waiting.decrementAndGet();
        }
    }
}
