package dev.polar.inference;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Where each session was last. Remembers the sessions that called last; one that is forgotten is placed anew. Thread-safe. */
final class Pins {
    private static final int REMEMBERED = 65_536;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, String> places = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > REMEMBERED;
        }
    };

    /**
     * A session's place.
     *
     * @param holds whether it may stay at a place
     * @param choice a new place, asked where it has none or may not stay
     */
    String of(String sessionId, Predicate<String> holds, Supplier<String> choice) {
        lock.lock();
        try {
            var place = places.get(sessionId);
            if (place == null || !holds.test(place)) {
                place = choice.get();
                places.put(sessionId, place);
            }
            return place;
        } finally {
            lock.unlock();
        }
    }
}
