package dev.polar.topology;

import dev.polar.spi.Check;
import java.util.List;

/**
 * {@code gateway}.
 *
 * @param heartbeatIntervalSeconds greater than 0
 * @param rolloutServerUrl without a trailing slash
 * @param nodes at least one
 * @param persistence how completions are written
 */
public record GatewayConfig(
        double heartbeatIntervalSeconds, String rolloutServerUrl, List<NodeConfig> nodes, Persistence persistence) {
    public GatewayConfig {
        nodes = Check.list(nodes);
    }

    /**
     * {@code gateway.completion_persistence}.
     *
     * @param enabled false keeps completions only as long as the process lives
     * @param queueSize entries that may wait for the disk before callers wait
     * @param writeWorkers writers at once
     * @param batchSize entries of one write
     * @param writeMaxAttempts tries of one write
     * @param retryBackoffSeconds wait between them
     * @param fsync when bytes are forced to the disk
     */
    public record Persistence(
            boolean enabled,
            int queueSize,
            int writeWorkers,
            int batchSize,
            int writeMaxAttempts,
            double retryBackoffSeconds,
            Fsync fsync) {
        public static final Persistence DEFAULT = new Persistence(true, 16384, 8, 16, 3, 0.1, Fsync.NONE);
    }

    /** When a record's bytes are forced to the disk. */
    public enum Fsync {
        NONE,
        /** Before the agent sees the end of an answer. */
        ANSWER
    }
}
