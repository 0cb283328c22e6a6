package dev.polar.rollout;

import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that is done again and again on a virtual thread of its own, at the latest after a pause, at once when rung. One failure does not end it. It is never interrupted: an interrupt in
 * the middle of a write would close the embedded database's file for everybody.
 */
final class Loop {
    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);
    private static final double PAUSE_AFTER_FAILURE_SECONDS = 1;
    private static final long STOP_MILLIS = 10_000;

    private final String name;
    private final Wakeups wakeups;
    private final DoubleSupplier pauseSeconds;
    private final Runnable round;
    private volatile boolean stopped;
    private Thread thread;

    private Loop(String name, Wakeups wakeups, DoubleSupplier pauseSeconds, Runnable round) {
        this.name = name;
        this.wakeups = wakeups;
        this.pauseSeconds = pauseSeconds;
        this.round = round;
    }

    /** @param pauseSeconds asked after each round */
    static Loop start(String name, Wakeups wakeups, DoubleSupplier pauseSeconds, Runnable round) {
        var loop = new Loop(name, wakeups, pauseSeconds, round);
        loop.thread = Thread.ofVirtual().name(name).start(loop::run);
        return loop;
    }

    private void run() {
        try {
            while (!stopped) {
                wakeups.await(onceMore());
            }
        } catch (InterruptedException fromOutside) {
            LOG.error("{} was interrupted and ends", name);
        }
    }

    private double onceMore() {
        try {
            round.run();
            return pauseSeconds.getAsDouble();
        } catch (RuntimeException broken) {
            LOG.error("{} failed and goes on", name, broken);
            return PAUSE_AFTER_FAILURE_SECONDS;
        }
    }

    /** Ends it after the round that it is in. */
    void stop() {
        stopped = true;
        wakeups.ring();
        try {
            thread.join(STOP_MILLIS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
