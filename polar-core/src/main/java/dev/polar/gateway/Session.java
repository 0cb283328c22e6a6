package dev.polar.gateway;

import dev.polar.spi.SessionStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/** What a node knows of a session while it lives and after it has ended. Thread-safe. */
final class Session {
    /** Told of each change of a session's status. */
    @FunctionalInterface
    interface Listener {
        void changed(Session session, SessionStatus from, SessionStatus to);
    }

    private final SessionManifest manifest;
    private final Listener listener;
    private final StopSignal stop = new StopSignal();
    private final ReentrantLock lock = new ReentrantLock();
    private SessionStatus status;
    private String error;
    private volatile IntSupplier completions = () -> 0;

    Session(SessionManifest manifest, SessionStatus status, String error, Listener listener) {
        this.manifest = manifest;
        this.status = status;
        this.error = error;
        this.listener = listener;
    }

    SessionManifest manifest() {
        return manifest;
    }

    String id() {
        return manifest.sessionId();
    }

    /** How its thread is told to stop. */
    StopSignal stop() {
        return stop;
    }

    SessionStatus status() {
        lock.lock();
        try {
            return status;
        } finally {
            lock.unlock();
        }
    }

    void status(SessionStatus next) {
        ended(next, null);
    }

    /** The same, with the error of a terminal status. Nothing comes after a terminal one. */
    void ended(SessionStatus next, String why) {
        SessionStatus before;
        lock.lock();
        try {
            before = status;
            if (before == next || before.terminal()) {
                return;
            }
            status = next;
            error = why;
        } finally {
            lock.unlock();
        }
        if (next.terminal()) {
            // The record need not stay in memory for its number.
            int last = completions();
            completions = () -> last;
        }
        listener.changed(this, before, next);
    }

    /** How many model calls it has recorded. */
    int completions() {
        return completions.getAsInt();
    }

    /** Where to look from now on. */
    void completions(IntSupplier count) {
        completions = count;
    }

    /** As the wire shows it, without its result. */
    Map<String, Object> view(String nodeId) {
        var view = new LinkedHashMap<String, Object>();
        view.put("session_id", id());
        view.put("task_id", manifest.taskId());
        view.put("node_id", nodeId);
        view.put("bare", manifest.bare());
        view.put("created_at", manifest.createdAt());
        view.put("completion_count", completions());
        lock.lock();
        try {
            view.put("status", status);
            view.put("error", error);
        } finally {
            lock.unlock();
        }
        return view;
    }
}
