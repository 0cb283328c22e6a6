package dev.polar.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A folder that belongs to one process at a time. */
final class StateFolder implements AutoCloseable {
    private final Path path;
    private final FileChannel lock;

    private StateFolder(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** @throws StartException where it cannot be made or another process has it */
    static StateFolder claim(Path path) {
        try {
            Files.createDirectories(path);
            var lock = FileChannel.open(path.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (tryLock(lock)) {
                return new StateFolder(path, lock);
            }
            lock.close();
        } catch (IOException refused) {
            throw new StartException(
                    "data_dir: cannot write " + path + " (" + refused.getMessage()
                            + "): give a folder that this user can write",
                    refused);
        }
        throw new StartException("data_dir: " + path
                + " is in use by another Polar process: stop that one, or set another data_dir in the topology file");
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException ownProcess) {
            return false;
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException ended) {
            // the lock goes with the process at the latest
        }
    }
}
