package dev.polar.rollout;

import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Work that is done again and again on a virtual thread of its own, at the latest after a pause, at once when rung. One failure does not end it. */
final class Loop {
    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);

    private final Thread thread;

    private Loop(Thread thread) {
        this.thread = thread;
    }

    /** @param pauseSeconds asked after each round */
    static Loop start(String name, Wakeups wakeups, DoubleSupplier pauseSeconds, Runnable round) {
        return new Loop(Thread.ofVirtual().name(name).start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                double pause = 1;
                try {
                    round.run();
                    pause = pauseSeconds.getAsDouble();
                } catch (RuntimeException broken) {
                    if (Thread.currentThread().isInterrupted()) {
                        return;
                    }
                    LOG.error("{} failed and goes on", name, broken);
                }
                try {
                    wakeups.await(pause);
                } catch (InterruptedException stopped) {
                    return;
                }
            }
        }));
    }

    /** Ends it, and waits until it has ended. */
    void stop() {
        thread.interrupt();
        try {
            thread.join(5_000);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
