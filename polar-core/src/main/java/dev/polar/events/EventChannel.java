package dev.polar.events;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.polar.wire.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The events of one role. Thread-safe. */
public final class EventChannel {
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);

    private final int capacity;
    private final Duration pingInterval;
    private final Deque<Event> buffer = new ArrayDeque<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private long lastId;
    private int readers;
    private boolean closed;

    /**
     * @param capacity events that are kept for slow and returning readers
     * @param pingInterval silence after which a reader is told that the stream lives
     */
    public EventChannel(int capacity, Duration pingInterval) {
        this.capacity = capacity;
        this.pingInterval = pingInterval;
        // Ids of an earlier process are lower: whoever resumes with one gets all that is buffered.
        this.lastId = System.currentTimeMillis() * 1000;
    }

    /** Adds an event; never waits for a reader. */
    public void publish(String type, Map<String, ?> data) {
        lock.lock();
        try {
            buffer.addLast(new Event(++lastId, json(type, data)));
            if (buffer.size() > capacity) {
                buffer.removeFirst();
            }
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes server-sent events until the reader has gone or the channel is closed: {@code hello} first, then what came after {@code lastEventId}, then what comes.
     *
     * @param lastEventId the last id that the reader saw; null or no number: from now on
     * @throws IOException where the reader has gone
     */
    public void stream(String lastEventId, OutputStream out) throws IOException, InterruptedException {
        long cursor = enter(lastEventId);
        try {
            follow(cursor, out);
        } finally {
            leave();
        }
    }

    private void follow(long start, OutputStream out) throws IOException, InterruptedException {
        long cursor = start;
        // The container holds the first bytes back until it was flushed once before.
        out.flush();
        write(out, cursor, json("hello", Map.of()));
        out.flush();
        while (true) {
            var events = after(cursor);
            if (events == null) {
                return;
            }
            for (var event : events) {
                write(out, event.id(), event.json());
                cursor = event.id();
            }
            if (events.isEmpty()) {
                write(out, cursor, json("ping", Map.of()));
            }
            out.flush();
        }
    }

    /** Ends all streams; waits a moment for those that are being written. */
    public void close() {
        lock.lock();
        try {
            closed = true;
            news.signalAll();
            long nanos = CLOSE_PATIENCE.toNanos();
            while (readers > 0 && nanos > 0) {
                nanos = news.awaitNanos(nanos);
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private long enter(String lastEventId) {
        lock.lock();
        try {
            readers++;
            return Math.min(Long.parseLong(lastEventId), lastId);
        } catch (NumberFormatException notOurs) {
            return lastId;
        } finally {
            lock.unlock();
        }
    }

    private void leave() {
        lock.lock();
        try {
            readers--;
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** What came after {@code cursor}, waiting for it; empty after a silence; null once closed. */
    private List<Event> after(long cursor) throws InterruptedException {
        lock.lock();
        try {
            long nanos = pingInterval.toNanos();
            while (lastId <= cursor && !closed && nanos > 0) {
                nanos = news.awaitNanos(nanos);
            }
            if (closed) {
                return null;
            }
            var events = new ArrayList<Event>();
            for (var newest = buffer.descendingIterator(); newest.hasNext(); ) {
                var event = newest.next();
                if (event.id() <= cursor) {
                    break;
                }
                events.add(event);
            }
            return events.reversed();
        } finally {
            lock.unlock();
        }
    }

    private static void write(OutputStream out, long id, String json) throws IOException {
        out.write(("id: " + id + "\ndata: " + json + "\n\n").getBytes(StandardCharsets.UTF_8));
    }

    private static String json(String type, Map<String, ?> data) {
        var frame = new LinkedHashMap<String, Object>();
        frame.put("type", type);
        frame.put("ts", System.currentTimeMillis() / 1000.0);
        frame.put("data", data);
        try {
            return Json.MAPPER.writeValueAsString(frame);
        } catch (JsonProcessingException notJson) {
            throw new IllegalArgumentException("event " + type + " has data that is no JSON", notJson);
        }
    }
}
