package dev.polar.capture;

import dev.polar.topology.GatewayConfig.Persistence;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The records of a node's sessions, one file each. Thread-safe. */
public final class RecordStore implements AutoCloseable {
    /**
     * @param directory made where it is missing; not used where persistence is off
     * @param persistence how records are written
     */
    public RecordStore(Path directory, Persistence persistence) {}

    /**
     * A new, empty record.
     *
     * @throws IllegalStateException where there is one of this id
     * @throws RecordException where its file cannot be made
     */
    public SessionRecorder create(String sessionId, String taskId) {
        throw new UnsupportedOperationException();
    }

    /**
     * The record of a session: the live one, else read back from its file. A record that was not sealed when the process died can go on.
     *
     * @throws RecordException where its file is damaged
     */
    public Optional<SessionRecorder> find(String sessionId) {
        throw new UnsupportedOperationException();
    }

    /** Forgets a record in memory; its file stays and {@link #find} reads it again. With persistence off nothing is forgotten. */
    public void unload(String sessionId) {
        throw new UnsupportedOperationException();
    }

    /** Removes a record and its file. Returns how many completions it held, 0 where there was none. */
    public int delete(String sessionId) {
        throw new UnsupportedOperationException();
    }

    /** Removes the files that nothing was written to for {@code age}, of sessions that are not in memory. Returns how many. */
    public int retain(Duration age) {
        throw new UnsupportedOperationException();
    }

    /** Waits until all that was accepted is written. */
    @Override
    public void close() {}
}
