package dev.polar.gateway;

import dev.polar.spi.SessionResult;
import dev.polar.wire.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Results on the disk: in the spool until the rollout server has acknowledged them, then with their session. Thread-safe: each session has its own file. */
final class ResultSpool {
    private static final String SUFFIX = ".json";

    private final NodeFolder folder;

    ResultSpool(NodeFolder folder) {
        this.folder = folder;
    }

    /** Streams a result to the disk; when this returns it survives a crash. */
    void write(SessionResult result) throws IOException {
        DurableFile.write(pending(result.sessionId()), out -> Json.MAPPER.writeValue(out, result));
    }

    /** Sessions whose results wait to be sent, by the names of their folders. */
    List<Path> pending() throws IOException {
        var found = new ArrayList<Path>();
        try (var files = Files.newDirectoryStream(folder.spool())) {
            for (var file : files) {
                if (file.getFileName().toString().endsWith(SUFFIX)) {
                    found.add(file);
                } else {
                    // What a crash cut off while it was written.
                    Files.deleteIfExists(file);
                }
            }
        }
        return found;
    }

    Path pending(String sessionId) {
        return folder.spool().resolve(SessionFolder.nameOf(sessionId) + SUFFIX);
    }

    /** The rollout server has it: from now on it lies with its session. */
    void acknowledged(Path pending) throws IOException {
        var name = pending.getFileName().toString();
        var session = folder.sessionNamed(name.substring(0, name.length() - SUFFIX.length()));
        if (Files.isDirectory(session.root())) {
            DurableFile.move(pending, session.result());
        } else {
            Files.deleteIfExists(pending);
        }
    }

    /** A session's result as JSON, if it has one; to be closed by the caller. It may be acknowledged, and so moved, meanwhile. */
    Optional<InputStream> open(String sessionId) throws IOException {
        var found = find(sessionId);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.newInputStream(found.get()));
        } catch (NoSuchFileException moved) {
            var kept = find(sessionId);
            return kept.isEmpty() ? Optional.empty() : Optional.of(Files.newInputStream(kept.get()));
        }
    }

    /** Where a session's result is, if it has one. */
    Optional<Path> find(String sessionId) {
        var pending = pending(sessionId);
        if (Files.exists(pending)) {
            return Optional.of(pending);
        }
        var kept = folder.session(sessionId).result();
        return Files.exists(kept) ? Optional.of(kept) : Optional.empty();
    }
}
