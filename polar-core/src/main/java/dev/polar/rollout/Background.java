package dev.polar.rollout;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Short work on virtual threads of its own, which is over before the database is closed. Nothing here is interrupted: that would close the embedded database's file. Thread-safe. */
final class Background {
    private static final Logger LOG = LoggerFactory.getLogger(Background.class);

    private final Set<Thread> running = ConcurrentHashMap.newKeySet();
    private volatile boolean ending;

    /** @param name says in the log what failed */
    void start(String name, Runnable work) {
        var thread = Thread.ofVirtual().name(name).unstarted(() -> {
            try {
                work.run();
            } catch (RuntimeException broken) {
                if (ending) {
                    LOG.debug("{} was cut off by the end", name, broken);
                } else {
                    LOG.error("{} failed", name, broken);
                }
            } finally {
                running.remove(Thread.currentThread());
            }
        });
        running.add(thread);
        thread.start();
    }

    /** Waits for what runs, at most that long. */
    void end(Duration patience) {
        ending = true;
        long until = System.nanoTime() + patience.toNanos();
        for (var thread : running) {
            try {
                thread.join(Duration.ofNanos(Math.max(1, until - System.nanoTime())));
            } catch (InterruptedException hurried) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
