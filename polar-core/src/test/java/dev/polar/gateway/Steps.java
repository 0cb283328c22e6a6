package dev.polar.gateway;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** The steps that the doubles of a test were asked for, in order, and what a test wants to happen at one. Thread-safe. */
final class Steps {
    /** What happens at a step; throws what the double is to throw. */
    @FunctionalInterface
    interface Hook {
        void run() throws InterruptedException;
    }

    private final List<String> reached = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Hook> hooks = new ConcurrentHashMap<>();

    void at(String step, Hook hook) {
        hooks.put(step, hook);
    }

    /** Waits at a step until the session is interrupted there. Returns a latch that tells that it was reached. */
    CountDownLatch hangAt(String step) {
        var reached = new CountDownLatch(1);
        at(step, () -> {
            reached.countDown();
            new CountDownLatch(1).await();
        });
        return reached;
    }

    void reach(String step) throws InterruptedException {
        reached.add(step);
        var hook = hooks.get(step);
        if (hook != null) {
            hook.run();
        }
    }

    List<String> reached() {
        synchronized (reached) {
            return List.copyOf(reached);
        }
    }
}
