package dev.polar.proxy;

import dev.polar.capture.SessionRecorder;
import dev.polar.continuation.SessionTurns;
import dev.polar.spi.Check;
import dev.polar.spi.Sampling;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

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

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();
    private final Set<Call> inFlight = new HashSet<>();
    private boolean open;

    private final SessionTurns turns;
    private final ToolTexts toolTexts = new ToolTexts();
    private final ToolSchemas toolSchemas = new ToolSchemas();
    private final ReasoningSeal reasoningSeal = new ReasoningSeal();
    private final ResponsesMemory responses = new ResponsesMemory();
    private final Map<String, LongAdder> dropped = new ConcurrentHashMap<>();
    private final Set<String> warned = ConcurrentHashMap.newKeySet();
    private final FailedCalls failedCalls = new FailedCalls();

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
        this.turns = new SessionTurns(recorder);
        this.sampling = sampling;
        this.modelKwargs = Check.map(modelKwargs);
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
        lock.lock();
        try {
            open = true;
        } finally {
            lock.unlock();
        }
    }

    public boolean isOpen() {
        lock.lock();
        try {
            return open;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Starts a call.
     *
     * @param abort ends the call at once, from any thread, without blocking; may be called more than once
     * @return to be closed when the call has ended and is recorded
     * @throws SessionClosedException where the session takes no calls
     */
    public Call begin(Runnable abort) {
        var call = new Call(this, abort);
        lock.lock();
        try {
            if (!open) {
                throw new SessionClosedException(sessionId);
            }
            inFlight.add(call);
        } finally {
            lock.unlock();
        }
        return call;
    }

    /**
     * RUN has ended: takes no more calls, aborts those in flight, and waits until each is recorded. May be called more than once, and by several threads at once: each waits.
     */
    public void close() throws InterruptedException {
        List<Call> running;
        lock.lock();
        try {
            open = false;
            // none is added any more
            running = List.copyOf(inFlight);
        } finally {
            lock.unlock();
        }
        running.forEach(call -> call.abort.run());
        lock.lockInterruptibly();
        try {
            while (!inFlight.isEmpty()) {
                idle.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** What was dropped from the agent's requests on purpose, by the rule's name. */
    public Map<String, Long> dropped() {
        var counts = new TreeMap<String, Long>();
        dropped.forEach((rule, count) -> counts.put(rule, count.sum()));
        return counts;
    }

    void countDropped(List<String> rules) {
        for (var rule : rules) {
            dropped.computeIfAbsent(rule, ignored -> new LongAdder()).increment();
        }
    }

    /** The calls that got no answer, or a part of one and then an error, in order of their sequence; the last of very many. */
    public List<FailedCall> failedCalls() {
        return failedCalls.all();
    }

    void failed(FailedCall call) {
        failedCalls.add(call);
    }

    /** True the first time that {@code what} is said. */
    boolean firstWarning(String what) {
        return warned.add(what);
    }

    SessionTurns turns() {
        return turns;
    }

    ToolTexts toolTexts() {
        return toolTexts;
    }

    ToolSchemas toolSchemas() {
        return toolSchemas;
    }

    ReasoningSeal reasoningSeal() {
        return reasoningSeal;
    }

    ResponsesMemory responses() {
        return responses;
    }

    /** A call in flight. */
    public static final class Call implements AutoCloseable {
        private final AgentSession session;
        private final Runnable abort;

        private Call(AgentSession session, Runnable abort) {
            this.session = session;
            this.abort = abort;
        }

        @Override
        public void close() {
            session.lock.lock();
            try {
                session.inFlight.remove(this);
                if (session.inFlight.isEmpty()) {
                    session.idle.signalAll();
                }
            } finally {
                session.lock.unlock();
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
