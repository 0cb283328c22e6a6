package dev.polar.gateway;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** A node's folder, locked while the node runs: two processes on one would each remove what the other has running. */
final class NodeFolder implements AutoCloseable {
    private final Path root;
    private final FileChannel lockFile;
    private final FileLock lock;

    private NodeFolder(Path root, FileChannel lockFile, FileLock lock) {
        this.root = root;
        this.lockFile = lockFile;
        this.lock = lock;
    }

    /**
     * Makes the folder where it is missing, and locks it.
     *
     * @throws IllegalStateException where another process has it
     */
    static NodeFolder open(Path root) {
        try {
            for (var folder : List.of("sessions", "records", "spool", "runtimes", "cache")) {
                Files.createDirectories(root.resolve(folder));
            }
            var channel = FileChannel.open(
                    root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            var lock = tryLock(channel);
            if (lock == null) {
                var holder = Files.readString(root.resolve("lock")).strip();
                channel.close();
                throw new IllegalStateException(root + " is in use by another Polar process"
                        + (holder.isEmpty() ? "" : " (pid " + holder + ")")
                        + ": stop that one, or give this one another data_dir or node id");
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(
                    Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
            return new NodeFolder(root, channel, lock);
        } catch (IOException problem) {
            throw new UncheckedIOException("the node's folder " + root + " cannot be used: " + Messages.of(problem), problem);
        }
    }

    private static FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException heldByThisProcess) {
            return null;
        }
    }

    /** The journal of runtimes; each provider has a sub-folder of its own. */
    Path runtimes() {
        return root.resolve("runtimes");
    }

    /** Programs that harnesses install, shared by all sessions. */
    Path cache() {
        return root.resolve("cache");
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
            throw new UncheckedIOException("the sessions in " + root + " cannot be listed: " + Messages.of(problem), problem);
        }
        return found;
    }

    @Override
    public void close() {
        try {
            lock.release();
            lockFile.close();
        } catch (IOException problem) {
            throw new UncheckedIOException("the lock of " + root + " cannot be released", problem);
        }
    }
}
