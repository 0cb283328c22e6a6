package dev.polar.capture;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One session's file. Whoever appends only queues; a thread that nobody knows, and so nobody interrupts, writes what is queued, several entries at once, and ends when nothing is left.
 * Files are used through {@link RandomAccessFile}, which an interrupt does not close as it closes a channel, so that an interrupted reader does no harm either.
 *
 * <p>A write that failed is cut off and tried again; where it fails for good, the log takes nothing more and every caller is told.
 */
final class FileLog implements EntryLog {
    private final Path path;
    private final LogWriters writers;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();
    private final ArrayDeque<Queued> queue = new ArrayDeque<>();
    private boolean draining;
    private long end;
    private RecordException broken;
    /** Touched by the one that drains, and by others only while nobody does. */
    private RandomAccessFile file;

    /** @param end where the next entry goes */
    FileLog(Path path, LogWriters writers, long end) {
        this.path = path;
        this.writers = writers;
        this.end = end;
    }

    /**
     * A new file with its header.
     *
     * @throws RecordException where it is there already or cannot be made
     */
    static FileLog create(Path path, LogWriters writers) {
        try {
            Files.write(path, Frames.fileHeader(), StandardOpenOption.CREATE_NEW);
            return new FileLog(path, writers, Frames.FILE_HEADER);
        } catch (IOException failed) {
            throw new RecordException("record file " + path + " cannot be made: " + failed, failed);
        }
    }

    /** The next entry goes to {@code position}; called before anything is appended. */
    void continueAt(long position) {
        end = position;
    }

    private record Queued(byte[] frame, long position, boolean answer, CountDownLatch written) {}

    private final class Place implements Ticket {
        private final Queued queued;

        private Place(Queued queued) {
            this.queued = queued;
        }

        @Override
        public long position() {
            return queued.position;
        }

        @Override
        public void await() {
            boolean interrupted = false;
            while (true) {
                try {
                    queued.written.await();
                    break;
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            lock.lock();
            try {
                if (broken != null && queued.position >= end) {
                    throw broken;
                }
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public Ticket append(EntryKind kind, byte[] content, boolean answer) {
        var frame = Frames.frame(Frames.pack(kind, content));
        writers.waiting().acquireUninterruptibly();
        lock.lock();
        try {
            if (broken != null) {
                writers.waiting().release();
                throw broken;
            }
            var queued = new Queued(frame, end, answer, new CountDownLatch(1));
            end += frame.length;
            queue.add(queued);
            if (!draining) {
                draining = true;
                Thread.ofVirtual().name("record-writer").start(this::drain);
            }
            return new Place(queued);
        } finally {
            lock.unlock();
        }
    }

    private void drain() {
        while (true) {
            var batch = take();
            if (batch.isEmpty()) {
                return;
            }
            RecordException failure = null;
            writers.writing().acquireUninterruptibly();
            try {
                write(batch);
            } catch (RecordException failed) {
                failure = failed;
            } finally {
                writers.writing().release();
            }
            done(batch, failure);
        }
    }

    private List<Queued> take() {
        lock.lock();
        try {
            var batch = new ArrayList<Queued>();
            while (batch.size() < writers.batch() && !queue.isEmpty()) {
                batch.add(queue.poll());
            }
            if (batch.isEmpty()) {
                draining = false;
                idle.signalAll();
            }
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private void done(List<Queued> batch, RecordException failure) {
        lock.lock();
        try {
            if (failure != null) {
                broken = failure;
                end = batch.getFirst().position;
                batch.addAll(queue);
                queue.clear();
            }
        } finally {
            lock.unlock();
        }
        writers.waiting().release(batch.size());
        batch.forEach(queued -> queued.written.countDown());
    }

    private void write(List<Queued> batch) {
        long start = batch.getFirst().position;
        var joined = new ByteArrayOutputStream();
        batch.forEach(queued -> joined.writeBytes(queued.frame));
        boolean force = writers.force() && batch.stream().anyMatch(Queued::answer);
        for (int attempt = 1; ; attempt++) {
            try {
                write(start, joined.toByteArray(), force);
                return;
            } catch (IOException failed) {
                cutBack(start);
                if (attempt >= writers.attempts()) {
                    throw new RecordException(
                            "record file " + path + " cannot be written after " + attempt + " attempts: " + failed,
                            failed);
                }
                pause();
            }
        }
    }

    private void write(long start, byte[] bytes, boolean force) throws IOException {
        if (file == null) {
            file = new RandomAccessFile(path.toFile(), "rw");
        }
        if (file.getFilePointer() != start) {
            file.seek(start);
        }
        file.write(bytes);
        if (force) {
            file.getFD().sync();
        }
    }

    /** What a failed write left behind must not be read as an entry. */
    private void cutBack(long start) {
        try {
            if (file != null) {
                file.setLength(start);
                file.close();
            }
        } catch (IOException alsoFailed) {
            // the next attempt says what is wrong; a torn end is cut off when the file is read again
        }
        file = null;
    }

    private void pause() {
        try {
            Thread.sleep(writers.backoff());
        } catch (InterruptedException nobodyKnowsThisThread) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public byte[] read(long position) {
        try (var in = new RandomAccessFile(path.toFile(), "r")) {
            in.seek(position);
            return Frames.content(LogScan.body(in, path));
        } catch (IOException failed) {
            throw new RecordException("record file " + path + " cannot be read: " + failed, failed);
        }
    }

    @Override
    public void settle() {
        lock.lock();
        try {
            while (draining) {
                idle.awaitUninterruptibly();
            }
            closeFile();
        } finally {
            lock.unlock();
        }
    }

    private void closeFile() {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException ignored) {
            // what was written was acknowledged by write and sync already
        }
        file = null;
    }

    private void refuse(RecordException why) {
        lock.lock();
        try {
            broken = why;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void delete() {
        try {
            settle();
        } finally {
            refuse(new RecordException("record file " + path + " was removed", null));
            try {
                Files.deleteIfExists(path);
            } catch (IOException failed) {
                throw new RecordException("record file " + path + " cannot be removed: " + failed, failed);
            }
        }
    }
}
