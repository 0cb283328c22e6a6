package dev.polar.proxy;

import dev.polar.capture.SessionRecorder;
import dev.polar.spi.Sampling;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Phaser;

/**
 * What the proxy knows of a session. Its key opens calls from {@link #open} to {@link #close}; after that nothing of it is in flight and nothing is appended to its record. Thread-safe.
 */
public final class AgentSession {
    private final String sessionId;
    private final String taskId;
    private final boolean bare;
    private final SessionRecorder recorder;
    private final Sampling sampling;
    private final Map<String, Object> modelKwargs;
    private final Set<Call> inFlight = ConcurrentHashMap.newKeySet();
    private final Phaser calls = new Phaser(1);
    private volatile boolean open;

    /**
     * @param bare true for a session of an outside agent, whose id is its key
     * @param sampling {@code agent.sampling} with the session's seed: wins over all else
     * @param modelKwargs merged into each call's request
     */
    public AgentSession(
            String sessionId,
            String taskId,
            boolean bare,
            SessionRecorder recorder,
            Sampling sampling,
            Map<String, Object> modelKwargs) {
        this.sessionId = sessionId;
        this.taskId = taskId;
        this.bare = bare;
        this.recorder = recorder;
        this.sampling = sampling;
        this.modelKwargs = Map.copyOf(modelKwargs);
    }

    public String sessionId() {
        return sessionId;
    }

    public String taskId() {
        return taskId;
    }

    public boolean bare() {
        return bare;
    }

    public SessionRecorder recorder() {
        return recorder;
    }

    public Sampling sampling() {
        return sampling;
    }

    public Map<String, Object> modelKwargs() {
        return modelKwargs;
    }

    /** RUN has started. */
    public void open() {
        open = true;
    }

    public boolean isOpen() {
        return open;
    }

    /**
     * Starts a call.
     *
     * @param abort ends the call at once, from any thread; may be called more than once
     * @return to be closed when the call has ended and is recorded
     * @throws SessionClosedException where the session takes no calls
     */
    public Call begin(Runnable abort) {
        var call = new Call(this, abort);
        calls.register();
        inFlight.add(call);
        if (!open) {
            call.close();
            throw new SessionClosedException(sessionId);
        }
        return call;
    }

    /** RUN has ended: takes no more calls, aborts those in flight, and waits until each is recorded. */
    public void close() throws InterruptedException {
        open = false;
        inFlight.forEach(Call::abort);
        calls.awaitAdvanceInterruptibly(calls.arrive());
    }

    /** A call in flight. */
    public static final class Call implements AutoCloseable {
        private final AgentSession session;
        private final Runnable abort;
        private boolean closed;

        private Call(AgentSession session, Runnable abort) {
            this.session = session;
            this.abort = abort;
        }

        void abort() {
            abort.run();
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                session.inFlight.remove(this);
                session.calls.arriveAndDeregister();
            }
        }
    }

    /** A call of a session that is not running. */
    public static final class SessionClosedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SessionClosedException(String sessionId) {
            super("session " + sessionId + " takes no model calls: it is not running");
        }
    }
}
