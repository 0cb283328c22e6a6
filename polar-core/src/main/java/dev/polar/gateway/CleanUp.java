package dev.polar.gateway;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs what must be done however a session ended: on a fresh virtual thread that nobody interrupts, with a time limit after which the caller goes on without it. */
final class CleanUp {
    private static final Logger LOG = LoggerFactory.getLogger(CleanUp.class);

    private CleanUp() {}

    /** A step of cleaning up. */
    @FunctionalInterface
    interface Task {
        void run() throws Exception;
    }

    /**
     * Returns when the task has ended or its time is over.
     *
     * @param what for the log: what is done, and for which session
     * @return false where it failed or was not done in time
     */
    static boolean run(String what, Duration limit, Task task) {
        var done = new CountDownLatch(1);
        var failed = new boolean[1];
        Thread.ofVirtual().name("clean-up").start(() -> {
            try {
                task.run();
            } catch (Exception | LinkageError problem) {
                failed[0] = true;
                LOG.warn("{} failed: {}", what, Messages.of(problem));
            } finally {
                done.countDown();
            }
        });
        if (await(done, limit)) {
            return !failed[0];
        }
        LOG.warn("{} has not ended after {} s; it goes on by itself", what, limit.toSeconds());
        return false;
    }

    private static boolean await(CountDownLatch done, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return done.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
