package dev.polar.inference;

/** Ends a call from another thread. What the call is doing right now hangs itself in with {@link #whileIn}. Thread-safe. */
public final class Cancellation {
    private Runnable current;
    private boolean cancelled;

    /** Ends the call: what it does now is ended, what it would do next is refused. May be called more than once. */
    public void cancel() {
        Runnable ending;
        synchronized (this) {
            cancelled = true;
            ending = current;
            current = null;
        }
        if (ending != null) {
            ending.run();
        }
    }

    public synchronized boolean isCancelled() {
        return cancelled;
    }

    /** @throws EngineException of kind ABORTED once the call was cancelled */
    public void check() {
        if (isCancelled()) {
            throw EngineException.aborted();
        }
    }

    /**
     * From now on {@link #cancel} runs {@code ending}, which must not block.
     *
     * @throws EngineException of kind ABORTED where it was cancelled before
     */
    synchronized void whileIn(Runnable ending) {
        if (cancelled) {
            throw EngineException.aborted();
        }
        current = ending;
    }

    synchronized void done() {
        current = null;
    }
}
