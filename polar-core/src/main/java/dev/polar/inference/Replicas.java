package dev.polar.inference;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The copies of one engine. A session stays on one, so that its prefixes are found in that one's cache; one that does not answer is left out until it does. Thread-safe.
 *
 * <p>The choice is by highest random weight (rendezvous hashing): when a copy is left out, only its own sessions move, and they come back to it.
 */
final class Replicas implements AutoCloseable {
    private static final Duration CHECK_EVERY = Duration.ofSeconds(5);

    private final List<String> baseUrls;
    private final Set<String> down = ConcurrentHashMap.newKeySet();
    private final Thread checker;

    /** @param healthy asks one for its health; may block */
    Replicas(List<String> baseUrls, Predicate<String> healthy) {
        if (baseUrls.isEmpty()) {
            throw new IllegalArgumentException("inference.base_url: at least one is needed");
        }
        this.baseUrls = List.copyOf(baseUrls);
        this.checker = baseUrls.size() == 1
                ? null
                : Thread.ofVirtual().name("polar-engine-health").start(() -> check(healthy));
    }

    /** Where a session's calls go. With all of them down, where they would go if none were. */
    String of(String sessionId) {
        if (baseUrls.size() == 1) {
            return baseUrls.getFirst();
        }
        String best = null;
        long most = Long.MIN_VALUE;
        boolean someUp = down.size() < baseUrls.size();
        for (var url : baseUrls) {
            long weight = mix((long) url.hashCode() << 32 ^ sessionId.hashCode());
            if ((!someUp || !down.contains(url)) && (best == null || weight > most)) {
                best = url;
                most = weight;
            }
        }
        return best;
    }

    /** The final step of splitmix64. */
    private static long mix(long value) {
        value = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
        value = (value ^ value >>> 27) * 0x94d049bb133111ebL;
        return value ^ value >>> 31;
    }

    /**
     * It did not take a connection.
     *
     * @return true where another one can be asked
     */
    boolean failed(String baseUrl) {
        if (baseUrls.size() == 1) {
            return false;
        }
        down.add(baseUrl);
        return down.size() < baseUrls.size();
    }

    List<String> all() {
        return baseUrls;
    }

    private void check(Predicate<String> healthy) {
        try {
            while (true) {
                for (var url : baseUrls) {
                    if (healthy.test(url)) {
                        down.remove(url);
                    } else {
                        down.add(url);
                    }
                }
                Thread.sleep(CHECK_EVERY);
            }
        } catch (InterruptedException closed) {
            // the end
        }
    }

    @Override
    public void close() {
        if (checker != null) {
            checker.interrupt();
        }
    }
}
