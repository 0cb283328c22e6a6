package dev.polar.capture;

import java.util.LinkedHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** Reads a log's entries and keeps the last ones, up to a number of bytes. Thread-safe. */
final class EntryCache {
    private final EntryLog log;
    private final long budget;
    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashMap<Long, byte[]> kept = new LinkedHashMap<>(16, 0.75f, true);
    private long held;

    /** @param budget bytes; an entry larger than a quarter of it is not kept */
    EntryCache(EntryLog log, long budget) {
        this.log = log;
        this.budget = budget;
    }

    /** An entry's content. Not to be changed. */
    byte[] entry(long position) {
        lock.lock();
        try {
            var content = kept.get(position);
            if (content == null) {
                content = log.read(position);
                if (content.length <= budget / 4) {
                    kept.put(position, content);
                    held += content.length;
                    evict();
                }
            }
            return content;
        } finally {
            lock.unlock();
        }
    }

    private void evict() {
        var oldest = kept.entrySet().iterator();
        while (held > budget) {
            held -= oldest.next().getValue().length;
            oldest.remove();
        }
    }

    /** A value's bytes. */
    byte[] bytes(Contents.Place place) {
        return new EntryReader(entry(place.position()), place.offset()).raw(place.length());
    }

    /** The picture of an entry. */
    StoredImage image(long position) {
        return StoredImage.read(entry(position));
    }

    EntryBody body(long position) {
        return EntryBody.read(entry(position));
    }
}
