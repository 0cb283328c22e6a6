package dev.polar.runtime.local;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** A file that keeps the output of a command; both streams may share one. Thread-safe. A disk that is full ends the writing, not the command. */
final class LogFile implements AutoCloseable {
    private final Path path;
    private final OutputStream out;
    private final ReentrantLock lock = new ReentrantLock();
    private IOException problem;

    private LogFile(Path path, OutputStream out) {
        this.path = path;
        this.out = out;
    }

    static LogFile open(Path path) throws IOException {
        if (path.toAbsolutePath().getParent() != null) {
            Files.createDirectories(path.toAbsolutePath().getParent());
        }
        return new LogFile(path, Files.newOutputStream(path));
    }

    void write(byte[] bytes, int offset, int length) {
        lock.lock();
        try {
            if (problem == null) {
                out.write(bytes, offset, length);
            }
        } catch (IOException full) {
            problem = full;
        } finally {
            lock.unlock();
        }
    }

    /** Why the file is not whole, if it is not. */
    Optional<String> problem() {
        lock.lock();
        try {
            return Optional.ofNullable(problem).map(cause -> "cannot write " + path + ": " + cause.getMessage());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            out.close();
        } catch (IOException full) {
            problem = problem == null ? full : problem;
        } finally {
            lock.unlock();
        }
    }
}
