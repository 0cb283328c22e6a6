package dev.polar.sim;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** The ids of texts that were encoded lately, the longest unused dropped first. Thread-safe; two threads may encode the same text at the same time. */
final class SegmentCache {
    private final int most;
    private final Map<String, int[]> segments = new LinkedHashMap<>(64, 0.75f, true);
    private int size;

    /**
     * An empty cache.
     *
     * @param most how many ids it holds together
     */
    SegmentCache(int most) {
        this.most = most;
    }

    /** The ids of {@code text}; shared, not to be changed. */
    int[] get(String text, Function<String, int[]> encode) {
        synchronized (segments) {
            int[] known = segments.get(text);
            if (known != null) {
                return known;
            }
        }
        int[] ids = encode.apply(text);
        put(text, ids);
        return ids;
    }

    private void put(String text, int[] ids) {
        synchronized (segments) {
            if (segments.put(text, ids) == null) {
                size += ids.length;
            }
            var eldest = segments.entrySet().iterator();
            while (size > most && eldest.hasNext()) {
                size -= eldest.next().getValue().length;
                eldest.remove();
            }
        }
    }
}
