package dev.polar.sim;

import java.util.ArrayDeque;
import java.util.Deque;

/** Faults that wait for the next generating requests, whatever these ask for; first in, first out. Thread-safe. */
public final class Faults {
    private final Deque<Fault> queue = new ArrayDeque<>();

    Faults() {}

    /** The next request meets {@code fault}. */
    public void add(Fault fault) {
        add(fault, 1);
    }

    /** The next {@code count} requests meet {@code fault}, one each. */
    public synchronized void add(Fault fault, int count) {
        for (int i = 0; i < count; i++) {
            queue.add(fault);
        }
    }

    /** Forgets those that nobody has met yet. */
    public synchronized void clear() {
        queue.clear();
    }

    /** How many wait. */
    public synchronized int pending() {
        return queue.size();
    }

    synchronized Fault next() {
        return queue.isEmpty() ? Fault.NONE : queue.removeFirst();
    }
}
