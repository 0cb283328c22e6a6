package dev.polar.capture;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.polar.spi.Check;
import dev.polar.topology.GatewayConfig.Persistence;
import dev.polar.wire.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The records of a node's sessions: one file each, unless persistence is off. Thread-safe. One store at a time may use a directory. */
public final class RecordStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RecordStore.class);
    private static final String SUFFIX = ".record";
    private static final int READABLE_NAME = 80;
    private static final int LINGERING = 4;

    private final Path directory;
    private final boolean files;
    private final LogWriters writers;
    private final TokenTexts texts = new TokenTexts();
    private final ConcurrentHashMap<String, Loaded> loaded = new ConcurrentHashMap<>();
    /** Sessions of {@link #release}, the last one last. */
    private final ConcurrentLinkedDeque<String> lingering = new ConcurrentLinkedDeque<>();

    private record Loaded(TreeRecorder recorder, EntryLog log) {
        /** Writes what is known. A log that cannot be written has told its callers; nothing more can be done for it. */
        private void settle() {
            try {
                recorder.flush();
            } catch (RecordException broken) {
                LOG.warn("deliveries of session {} are not written: {}", recorder.sessionId(), broken.getMessage());
            }
            log.settle();
        }
    }

    /**
     * @param directory made where it is missing; not used where persistence is off
     * @param persistence how records are written
     * @throws RecordException where the directory cannot be made
     */
    public RecordStore(Path directory, Persistence persistence) {
        this.directory = directory;
        this.files = persistence.enabled();
        this.writers = LogWriters.of(persistence);
        if (files) {
            try {
                Files.createDirectories(directory);
            } catch (IOException failed) {
                throw new RecordException("record directory " + directory + " cannot be made: " + failed, failed);
            }
        }
    }

    /**
     * A new, empty record.
     *
     * @throws IllegalStateException where there is one of this id
     * @throws RecordException where its file cannot be made
     */
    public SessionRecorder create(String sessionId, String taskId) {
        Check.text("session_id", sessionId);
        return loaded.compute(sessionId, (id, there) -> {
                    if (there != null || files && Files.exists(file(id))) {
                        throw new IllegalStateException("there is a record of session " + id + " already");
                    }
                    var log = files ? FileLog.create(file(id), writers) : new EntryLog.InMemory();
                    log.append(EntryKind.HEADER, header(id, taskId), true).await();
                    return new Loaded(new TreeRecorder(id, taskId, log, texts), log);
                })
                .recorder();
    }

    /**
     * The record of a session: the live one, else read back from its file, whose torn end is cut off. A record that was not sealed when the process died can go on.
     *
     * @throws RecordException where its file is damaged
     */
    public Optional<SessionRecorder> find(String sessionId) {
        var found = loaded.computeIfAbsent(sessionId, id -> files && Files.exists(file(id)) ? read(file(id)) : null);
        return Optional.ofNullable(found).map(Loaded::recorder);
    }

    private Loaded read(Path file) {
        var reader = new Reader(file);
        long end = LogScan.scan(file, reader::entry);
        LogScan.cut(file, end);
        reader.log.continueAt(end);
        return reader.recorder == null ? null : new Loaded(reader.recorder, reader.log);
    }

    /** Makes a recorder of a file's entries. */
    private final class Reader {
        private final FileLog log;
        private TreeRecorder recorder;

        private Reader(Path file) {
            this.log = new FileLog(file, writers, Frames.FILE_HEADER);
        }

        private void entry(EntryKind kind, byte[] content, long position) {
            if (recorder == null) {
                var header = EntryBody.parse(content, new TypeReference<Map<String, String>>() {});
                recorder = new TreeRecorder(header.get("session_id"), header.get("task_id"), log, texts);
            } else {
                recorder.replay(kind, content, position);
            }
        }
    }

    /** Forgets a record in memory; its file stays, and {@link #find} reads it again. With persistence off nothing is forgotten. */
    public void unload(String sessionId) {
        if (files) {
            loaded.computeIfPresent(sessionId, (id, there) -> {
                there.settle();
                return null;
            });
        }
    }

    /** As {@link #unload}, but a few of the last ones stay a while: whoever looks at one thing of a session that has ended mostly looks at the next. */
    public void release(String sessionId) {
        lingering.remove(sessionId);
        lingering.addLast(sessionId);
        while (lingering.size() > LINGERING) {
            unloadEldest();
        }
    }

    private void unloadEldest() {
        var eldest = lingering.pollFirst();
        if (eldest != null) {
            unload(eldest);
        }
    }

    /**
     * Removes a record and its file. Returns how many completions it held, 0 where there was none.
     *
     * @throws RecordException where the file cannot be read or removed
     */
    public int delete(String sessionId) {
        var found = find(sessionId);
        int held = found.map(SessionRecorder::completionCount).orElse(0);
        loaded.computeIfPresent(sessionId, (id, there) -> {
            there.log.delete();
            return null;
        });
        return held;
    }

    /**
     * Removes the files to which nothing was written for {@code age}, of sessions that are not in memory. Returns how many.
     *
     * @throws RecordException where the directory cannot be read
     */
    public int retain(Duration age) {
        if (!files) {
            return 0;
        }
        while (!lingering.isEmpty()) {
            unloadEldest();
        }
        var inUse = loaded.keySet().stream().map(this::file).toList();
        var oldest = Instant.now().minus(age);
        int removed = 0;
        try (var all = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (var file : all) {
                boolean old = Files.getLastModifiedTime(file).toInstant().isBefore(oldest);
                if (old && !inUse.contains(file) && Files.deleteIfExists(file)) {
                    removed++;
                }
            }
        } catch (IOException failed) {
            throw new RecordException("record directory " + directory + " cannot be cleaned: " + failed, failed);
        }
        return removed;
    }

    /** Waits until all that was accepted is written. */
    @Override
    public void close() {
        loaded.values().forEach(Loaded::settle);
    }

    private static byte[] header(String sessionId, String taskId) {
        var header = new LinkedHashMap<String, String>();
        header.put("session_id", sessionId);
        header.put("task_id", taskId);
        return RequestForm.json(Json.MAPPER.valueToTree(header));
    }

    /** A session's file: its id as far as a file name can hold it, and a digest that tells all ids apart. */
    private Path file(String sessionId) {
        var readable = sessionId.replaceAll("[^A-Za-z0-9._-]", "_");
        var start = readable.substring(0, Math.min(READABLE_NAME, readable.length()));
        return directory.resolve(start + "-" + digest(sessionId) + SUFFIX);
    }

    private static String digest(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, Long.BYTES);
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java platform has SHA-256", impossible);
        }
    }
}
