package dev.polar.rollout;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A loop's alarm: rings at once when somebody rings it, at the latest after a while. Thread-safe. */
final class Wakeups {
    private final Semaphore rung = new Semaphore(0);

    void ring() {
        rung.release();
    }

    /** Waits for a ring; rings that came before count as one. */
    void await(double seconds) throws InterruptedException {
        if (rung.tryAcquire(Math.round(seconds * 1000), TimeUnit.MILLISECONDS)) {
            rung.drainPermits();
        }
    }
}
