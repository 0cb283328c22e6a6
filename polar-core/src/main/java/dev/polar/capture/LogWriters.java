package dev.polar.capture;

import dev.polar.topology.GatewayConfig.Fsync;
import dev.polar.topology.GatewayConfig.Persistence;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * What the files of a store share: how many entries may wait, how many files are written at once, and how a write is tried again. Thread-safe.
 *
 * @param waiting a permit for each entry that may wait for the disk before callers wait
 * @param writing a permit for each file that may be written at once
 * @param batch entries of one write
 * @param attempts tries of one write
 * @param backoff wait between them
 * @param force true where an answer's bytes are forced to the disk
 */
record LogWriters(Semaphore waiting, Semaphore writing, int batch, int attempts, Duration backoff, boolean force) {
    static LogWriters of(Persistence persistence) {
        return new LogWriters(
                new Semaphore(persistence.queueSize(), true),
                new Semaphore(persistence.writeWorkers(), true),
                persistence.batchSize(),
                persistence.writeMaxAttempts(),
                Duration.ofNanos((long) (persistence.retryBackoffSeconds() * 1e9)),
                persistence.fsync() == Fsync.ANSWER);
    }
}
