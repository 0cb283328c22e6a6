package dev.polar.gateway;

import dev.polar.gateway.SessionStopped.Reason;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How a session's thread is told to stop: by an interrupt, and only inside a section that expects one. Outside of sections (while a record or a result is written) nothing interrupts it.
 * {@link #cancel} is for any thread, sections are for the session's own.
 */
final class StopSignal {
    private final ReentrantLock lock = new ReentrantLock();
    private Reason cancelled;
    private Section current;

    /** What a section does. */
    @FunctionalInterface
    interface Step {
        void run() throws InterruptedException;
    }

    /** Ends the section that runs, if one does, and every later one. The first reason counts. */
    void cancel(Reason reason) {
        lock.lock();
        try {
            if (cancelled == null) {
                cancelled = reason;
            }
            stop(current, cancelled);
        } finally {
            lock.unlock();
        }
    }

    /** Why the session was cancelled, or null where it was not. */
    Reason cancelled() {
        lock.lock();
        try {
            return cancelled;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs {@code step} until it ends, the deadline passes or the session is cancelled. What the step makes it must keep in a field at once: it can be stopped after its last line, too.
     *
     * @throws SessionStopped where it was stopped, whatever the step made of the interrupt
     */
    void within(Deadline deadline, Step step) throws SessionStopped {
        var section = enter(deadline);
        try {
            step.run();
        } catch (InterruptedException | RuntimeException problem) {
            leave(section);
            if (section.stopped == null) {
                throw problem instanceof RuntimeException failure
                        ? failure
                        : new IllegalStateException("interrupted by a stranger", problem);
            }
        } finally {
            leave(section);
        }
        if (section.stopped != null) {
            throw new SessionStopped(section.stopped, deadline);
        }
    }

    private Section enter(Deadline deadline) throws SessionStopped {
        var section = new Section(Thread.currentThread());
        lock.lock();
        try {
            if (cancelled != null) {
                throw new SessionStopped(cancelled, deadline);
            }
            if (deadline.passed()) {
                throw new SessionStopped(Reason.DEADLINE, deadline);
            }
            current = section;
        } finally {
            lock.unlock();
        }
        if (deadline.kind() != Deadline.Kind.NONE) {
            Thread.ofVirtual().name("deadline").start(() -> watch(section, deadline));
        }
        return section;
    }

    private void watch(Section section, Deadline deadline) {
        try {
            if (!section.ended.await(deadline.remaining().toNanos(), TimeUnit.NANOSECONDS)) {
                lock.lock();
                try {
                    stop(section, Reason.DEADLINE);
                } finally {
                    lock.unlock();
                }
            }
        } catch (InterruptedException unexpected) {
            Thread.currentThread().interrupt();
        }
    }

    /** Under the lock. */
    private void stop(Section section, Reason reason) {
        if (section != null && section == current && section.stopped == null) {
            section.stopped = reason;
            section.thread.interrupt();
        }
    }

    private void leave(Section section) {
        lock.lock();
        try {
            if (current == section) {
                current = null;
                // The interrupt was for this section: it must not reach what comes after.
                Thread.interrupted();
            }
        } finally {
            lock.unlock();
        }
        section.ended.countDown();
    }

    private static final class Section {
        private final Thread thread;
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile Reason stopped;

        Section(Thread thread) {
            this.thread = thread;
        }
    }
}
