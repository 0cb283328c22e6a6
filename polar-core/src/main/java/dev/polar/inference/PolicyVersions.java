package dev.polar.inference;

import java.util.List;

/** The version of the weights that sample now, as the trainer told it. Thread-safe. */
public final class PolicyVersions {
    /** What SGLang says as long as nobody told it a version: no version at all where the trainer told us one. */
    private static final String UNNAMED = "default";

    private volatile String current;

    /** @param version opaque; null for none */
    public void set(String version) {
        current = version;
    }

    /** As told, or null. */
    public String current() {
        return current;
    }

    /**
     * What to stamp at a generation's start: the engine's own word, where it has one.
     *
     * @param told versions that the engine says sampled the answer, in order
     * @param atDispatch {@link #current()} when the generation started
     */
    public static String atStart(List<String> told, String atDispatch) {
        return told.isEmpty() ? atDispatch : choose(told.getFirst(), atDispatch);
    }

    /** The same at its end. */
    public static String atEnd(List<String> told, String atEnd) {
        return told.isEmpty() ? atEnd : choose(told.getLast(), atEnd);
    }

    private static String choose(String engines, String ours) {
        return UNNAMED.equals(engines) && ours != null ? ours : engines;
    }
}
