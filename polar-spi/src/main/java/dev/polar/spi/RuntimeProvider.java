package dev.polar.spi;

import java.nio.file.Path;
import java.util.Set;
import org.pf4j.ExtensionPoint;

/** Makes one kind of sandbox. Thread-safe: many sessions start runtimes at once. */
public interface RuntimeProvider extends ExtensionPoint {
    /** The values of {@code runtime.backend} or {@code runtime.import_path} that this provider claims. */
    Set<String> names();

    /** The limits that it can enforce on this machine. A task that asks for another is an ERROR session, not a session without its limit. */
    Set<RuntimeFeature> enforces();

    /**
     * Starts a runtime. Where a step fails, what the steps before it made is gone when this throws.
     *
     * @throws ExtensionException where it cannot be had
     */
    Runtime start(RuntimeRequest request) throws InterruptedException;

    /**
     * Removes what a crashed node left: processes, containers, mounts, found by label and by the journal in {@code stateDir}. Called once at the node's start, before any session.
     *
     * @return how many runtimes were removed
     */
    int removeLeftovers(String nodeId, Path stateDir);
}
