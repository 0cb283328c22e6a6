package dev.polar.proxy;

import dev.polar.spi.CallFacts;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** A session's failed calls. An agent that asks again and again sends the same texts: each is held once, and of very many calls the last. Thread-safe. */
final class FailedCalls {
    /** Far more than an agent asks before it gives up. */
    static final int KEPT = 1_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<FailedCall> calls = new ArrayDeque<>();
    private final Map<String, String> texts = new HashMap<>();

    void add(FailedCall call) {
        lock.lock();
        try {
            calls.add(new FailedCall(sharing(call.facts()), call.call()));
            if (calls.size() > KEPT) {
                calls.removeFirst();
            }
        } finally {
            lock.unlock();
        }
    }

    private CallFacts sharing(CallFacts facts) {
        return new CallFacts(
                facts.completionId(),
                facts.sequence(),
                facts.api(),
                facts.headers(),
                shared(facts.system()),
                shared(facts.firstUser()),
                shared(facts.lastUser()),
                facts.tools(),
                facts.messages(),
                facts.maxTokens(),
                facts.streamed());
    }

    private String shared(String text) {
        if (texts.size() > KEPT) {
            texts.clear();
        }
        return texts.computeIfAbsent(text, same -> same);
    }

    List<FailedCall> all() {
        lock.lock();
        try {
            return calls.stream()
                    .sorted(Comparator.comparingLong(call -> call.facts().sequence()))
                    .toList();
        } finally {
            lock.unlock();
        }
    }
}
