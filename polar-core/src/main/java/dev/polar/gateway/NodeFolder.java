package dev.polar.gateway;

import dev.polar.spi.RuntimeProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Where a node keeps its state. The folder belongs to one process at a time: the server has locked it.
 *
 * @param cache programs that harnesses install, shared by all sessions; nodes of one machine may share one
 */
record NodeFolder(Path root, Path cache) {
    /** Makes what is missing, with a cache of its own. */
    static NodeFolder open(Path root) {
        return open(root, root.resolve("cache"));
    }

    /** The same, with a cache elsewhere. */
    static NodeFolder open(Path root, Path cache) {
        try {
            for (var folder : List.of("sessions", "records", "spool", "runtimes")) {
                Files.createDirectories(root.resolve(folder));
            }
            Files.createDirectories(cache);
            return new NodeFolder(root, cache);
        } catch (IOException problem) {
            throw new UncheckedIOException(
                    "the node's folder " + root + " cannot be used: " + Messages.of(problem), problem);
        }
    }

    /** A provider's journal of runtimes, under the first of its names. */
    Path runtimes(RuntimeProvider provider) {
        var name = provider.names().stream().min(Comparator.naturalOrder()).orElseThrow();
        return root.resolve("runtimes").resolve(SessionFolder.nameOf(name));
    }

    /** The records of sessions. */
    Path records() {
        return root.resolve("records");
    }

    /** Results that the rollout server has not acknowledged. */
    Path spool() {
        return root.resolve("spool");
    }

    SessionFolder session(String sessionId) {
        return sessionNamed(SessionFolder.nameOf(sessionId));
    }

    /** By the name of its folder. */
    SessionFolder sessionNamed(String name) {
        return new SessionFolder(root.resolve("sessions").resolve(name));
    }

    /** All sessions that this folder knows. */
    List<SessionFolder> sessions() {
        var found = new ArrayList<SessionFolder>();
        try (var folders = Files.newDirectoryStream(root.resolve("sessions"), Files::isDirectory)) {
            folders.forEach(folder -> found.add(new SessionFolder(folder)));
        } catch (IOException problem) {
            throw new UncheckedIOException(
                    "the sessions in " + root + " cannot be listed: " + Messages.of(problem), problem);
        }
        return found;
    }
}
