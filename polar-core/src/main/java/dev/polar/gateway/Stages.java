package dev.polar.gateway;

import dev.polar.spi.NodeStageMetrics;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The slots of a node's stages. A session holds one {@link Place}, which is in one stage at a time: so a slot cannot be held twice or lost, and a slow stage never keeps another stage's slots.
 *
 * <p>INIT slots go by priority, then arrival, and only while {@code initialising + ready < ready_buffer + free run slots}; the other two by arrival. Thread-safe.
 */
final class Stages {
    /** Where a place is. */
    enum Stage {
        OUTSIDE,
        INIT_QUEUE,
        INIT,
        READY,
        RUN,
        POSTRUN_QUEUE,
        POSTRUN
    }

    private final int maxInit;
    private final int maxRun;
    private final int maxPostrun;
    private final int readyBuffer;
    private final ReentrantLock lock = new ReentrantLock();
    private final int[] counts = new int[Stage.values().length];
    private final Queue<Place> initQueue = new PriorityQueue<>(
            Comparator.comparingInt((Place place) -> -place.priority).thenComparing(place -> place.arrival));
    private final Queue<Place> runQueue = new ArrayDeque<>();
    private final Queue<Place> postrunQueue = new ArrayDeque<>();
    private long arrivals;

    Stages(int maxInit, int maxRun, int maxPostrun, int readyBuffer) {
        this.maxInit = maxInit;
        this.maxRun = maxRun;
        this.maxPostrun = maxPostrun;
        this.readyBuffer = readyBuffer;
    }

    /**
     * A place in no stage yet; its arrival is now.
     *
     * @param priority higher enters INIT first
     */
    Place arrive(int priority) {
        lock.lock();
        try {
            return new Place(priority, arrivals++);
        } finally {
            lock.unlock();
        }
    }

    NodeStageMetrics metrics() {
        lock.lock();
        try {
            return new NodeStageMetrics(
                    count(Stage.INIT_QUEUE),
                    count(Stage.INIT),
                    count(Stage.READY),
                    count(Stage.RUN),
                    count(Stage.POSTRUN_QUEUE),
                    count(Stage.POSTRUN));
        } finally {
            lock.unlock();
        }
    }

    private int count(Stage stage) {
        return counts[stage.ordinal()];
    }

    private Queue<Place> queue(Stage stage) {
        return switch (stage) {
            case INIT_QUEUE -> initQueue;
            case READY -> runQueue;
            case POSTRUN_QUEUE -> postrunQueue;
            case OUTSIDE, INIT, RUN, POSTRUN -> null;
        };
    }

    private void move(Place place, Stage next) {
        if (place.stage != Stage.OUTSIDE) {
            counts[place.stage.ordinal()]--;
        }
        if (queue(place.stage) != null) {
            queue(place.stage).remove(place);
        }
        place.stage = next;
        if (next != Stage.OUTSIDE) {
            counts[next.ordinal()]++;
        }
        if (queue(next) != null) {
            queue(next).add(place);
        }
    }

    /** Gives out what is free. Run slots first: whoever takes one leaves room for another to initialise. */
    private void grant() {
        while (!postrunQueue.isEmpty() && count(Stage.POSTRUN) < maxPostrun) {
            give(postrunQueue.peek(), Stage.POSTRUN);
        }
        while (!runQueue.isEmpty() && count(Stage.RUN) < maxRun) {
            give(runQueue.peek(), Stage.RUN);
        }
        while (!initQueue.isEmpty() && mayInitialise()) {
            give(initQueue.peek(), Stage.INIT);
        }
    }

    private boolean mayInitialise() {
        return count(Stage.INIT) < maxInit
                && count(Stage.INIT) + count(Stage.READY) < readyBuffer + maxRun - count(Stage.RUN);
    }

    private void give(Place place, Stage slot) {
        move(place, slot);
        place.turn.signal();
    }

    /** One session's place. Its methods are called by the session's own thread. */
    final class Place implements AutoCloseable {
        private final int priority;
        private final long arrival;
        private final Condition turn = lock.newCondition();
        private Stage stage = Stage.OUTSIDE;

        private Place(int priority, long arrival) {
            this.priority = priority;
            this.arrival = arrival;
        }

        /** Waits for an INIT slot. Returns the wait; interrupted, the place is to be closed. */
        Duration awaitInit() throws InterruptedException {
            return await(Stage.INIT_QUEUE, Stage.INIT);
        }

        /** Gives the INIT slot back and waits, warm, for a RUN slot. */
        Duration awaitRun() throws InterruptedException {
            return await(Stage.READY, Stage.RUN);
        }

        /** Gives the RUN slot back and waits for a POSTRUN slot. */
        Duration awaitPostrun() throws InterruptedException {
            return await(Stage.POSTRUN_QUEUE, Stage.POSTRUN);
        }

        /** Gives back whatever is held. May be called again. */
        @Override
        public void close() {
            lock.lock();
            try {
                move(this, Stage.OUTSIDE);
                grant();
            } finally {
                lock.unlock();
            }
        }

        private Duration await(Stage waiting, Stage slot) throws InterruptedException {
            long start = System.nanoTime();
            lock.lock();
            try {
                move(this, waiting);
                grant();
                while (stage != slot) {
                    turn.await();
                }
            } finally {
                lock.unlock();
            }
            return Duration.ofNanos(System.nanoTime() - start);
        }
    }
}
