package dev.polar.inference;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The copies of one engine, whether the configuration names them or a router that it names does. A session stays on the copy that it was given first, so that its prefixes are found in that one's
 * cache; it moves when its copy does not answer or is gone, and then stays where it is. Thread-safe.
 *
 * <p>The first choice is by highest random weight (rendezvous hashing): sessions spread without a count being kept, and a node that starts again finds the copy that it used before.
 */
final class Replicas implements AutoCloseable {
    private static final Duration CHECK_EVERY = Duration.ofSeconds(5);
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    private final List<String> addresses;
    private final Function<String, Address> look;
    private final Predicate<String> healthy;
    private final Map<String, Address> known = new LinkedHashMap<>();
    private final ReentrantLock looking = new ReentrantLock();
    private final Pins pins = new Pins();
    private final Set<String> down = ConcurrentHashMap.newKeySet();
    private volatile List<String> copies;
    private volatile boolean settled;
    private volatile long lookedAt;
    private volatile Thread checker;

    /**
     * Nothing is asked before the first use or {@link #start}.
     *
     * @param addresses as configured: of engines, or of routers
     * @param look asks what an address is; may block
     * @param healthy asks a copy for its health; may block
     */
    Replicas(List<String> addresses, Function<String, Address> look, Predicate<String> healthy) {
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("inference.base_url: at least one is needed");
        }
        this.addresses = List.copyOf(addresses);
        this.copies = this.addresses;
        this.look = look;
        this.healthy = healthy;
    }

    /** Looks and checks from now on, until it is closed. */
    Replicas start() {
        checker = Thread.ofVirtual().name("polar-engine-health").start(this::watch);
        return this;
    }

    /**
     * Where a session's calls go. With all copies down, where they would go if none were.
     *
     * @throws EngineException where a router has no worker to ask
     */
    String of(String sessionId) {
        var all = all();
        if (all.isEmpty()) {
            throw EngineException.of(
                    EngineException.Kind.UNREACHABLE,
                    502,
                    "the router at " + String.join(", ", addresses)
                            + " names no regular worker that speaks HTTP: add one to it",
                    null);
        }
        if (all.size() == 1) {
            return all.getFirst();
        }
        boolean someUp = all.stream().anyMatch(url -> !down.contains(url));
        return pins.of(
                sessionId,
                url -> all.contains(url) && (!someUp || !down.contains(url)),
                () -> all.stream()
                        .filter(url -> !someUp || !down.contains(url))
                        .max((one, other) -> Long.compare(weight(one, sessionId), weight(other, sessionId)))
                        .orElseThrow());
    }

    private static long weight(String url, String sessionId) {
        return mix((long) url.hashCode() << 32 ^ sessionId.hashCode());
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
    boolean failed(String url) {
        var all = copies;
        if (all.size() <= 1) {
            return false;
        }
        down.add(url);
        return all.stream().anyMatch(copy -> !down.contains(copy));
    }

    /** The copies as they are known, those that are down too; asks where nothing is known yet. */
    List<String> all() {
        if (!settled) {
            lookOnce();
        }
        return copies;
    }

    /** The same without asking: what was configured, as long as nothing is known. */
    List<String> known() {
        return copies;
    }

    boolean isDown(String url) {
        return down.contains(url);
    }

    /** One asks, the others wait for what it finds: before it is known whether an address is a router, nothing may be sent to it. */
    private void lookOnce() {
        looking.lock();
        try {
            if (!settled && System.nanoTime() - lookedAt > LOOK_AGAIN.toNanos() || lookedAt == 0) {
                look();
            }
        } finally {
            looking.unlock();
        }
    }

    /** Asks each address that may be a router for what it is now. One that does not answer counts as what it was. */
    void look() {
        looking.lock();
        try {
            boolean all = true;
            var found = new LinkedHashSet<String>();
            for (var address : addresses) {
                known.compute(address, (_, before) -> looked(address, before));
                switch (known.get(address)) {
                    case Address.Engine _ -> found.add(address);
                    case Address.Router router -> found.addAll(router.workers());
                    case Address.Silent _ -> {
                        found.add(address);
                        all = false;
                    }
                }
            }
            copies = List.copyOf(found);
            down.retainAll(found);
            settled = all;
            lookedAt = System.nanoTime() | 1;
        } finally {
            looking.unlock();
        }
    }

    /** An engine stays one, and a router that gives no list for the moment keeps its last one. */
    private Address looked(String address, Address before) {
        return switch (before) {
            case Address.Engine engine -> engine;
            case Address.Router router -> look.apply(address) instanceof Address.Router now ? now : router;
            case Address.Silent _ -> look.apply(address);
            case null -> look.apply(address);
        };
    }

    /** Asks all copies for their health, at the same time. One copy alone is not asked: its calls go there anyway. */
    void check() throws InterruptedException {
        var all = all();
        if (all.size() <= 1) {
            return;
        }
        var answers = new ArrayList<Future<Boolean>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            all.forEach(url -> answers.add(threads.submit(() -> healthy.test(url))));
            for (int i = 0; i < all.size(); i++) {
                if (isTrue(answers.get(i))) {
                    down.remove(all.get(i));
                } else {
                    down.add(all.get(i));
                }
            }
        }
    }

    private static boolean isTrue(Future<Boolean> answer) throws InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException failed) {
            return false;
        }
    }

    private void watch() {
        try {
            while (true) {
                look();
                check();
                Thread.sleep(CHECK_EVERY);
            }
        } catch (InterruptedException closed) {
            // the end
        }
    }

    @Override
    public void close() {
        var running = checker;
        if (running != null) {
            running.interrupt();
        }
    }
}
