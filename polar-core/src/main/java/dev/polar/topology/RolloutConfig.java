package dev.polar.topology;

import java.nio.file.Path;
import java.util.List;

/**
 * {@code rollout}.
 *
 * @param host address that is bound
 * @param port 0 is replaced by a free one before the server starts
 * @param publicUrl without a trailing slash
 * @param saveDir absolute, or null: results are not kept as files there
 * @param dispatchPollIntervalSeconds greater than 0
 * @param callbackGraceSeconds without a result at the budget plus this after INIT, an attempt is lost
 * @param httpMaxConnections to gateways and callbacks together
 * @param httpMaxKeepaliveConnections kept open when idle
 * @param cleanupMaxConcurrency clean-ups at once
 * @param cleanupMaxAttempts tries of one clean-up
 * @param cleanupRetryBackoffSeconds wait between them
 * @param database where state is kept
 * @param maxAttempts attempts of a sample
 * @param retentionDays how long finished tasks are kept
 * @param callbackGiveUpHours how long a callback is tried
 * @param callbackAllow host patterns; empty for any
 * @param warnOnUnknownKeys true where an unknown key in a task is accepted with a warning
 * @param checkAssets true where missing local assets refuse a task
 */
public record RolloutConfig(
        String host,
        int port,
        String publicUrl,
        Path saveDir,
        double dispatchPollIntervalSeconds,
        double callbackGraceSeconds,
        int httpMaxConnections,
        int httpMaxKeepaliveConnections,
        int cleanupMaxConcurrency,
        int cleanupMaxAttempts,
        double cleanupRetryBackoffSeconds,
        DatabaseConfig database,
        int maxAttempts,
        int retentionDays,
        double callbackGiveUpHours,
        List<String> callbackAllow,
        boolean warnOnUnknownKeys,
        boolean checkAssets) {
    /**
     * {@code rollout.database}; all null for the embedded one.
     *
     * @param url JDBC URL
     * @param user its user
     * @param passwordEnv name of the environment variable that holds the password
     */
    public record DatabaseConfig(String url, String user, String passwordEnv) {
        public static final DatabaseConfig EMBEDDED = new DatabaseConfig(null, null, null);
    }
}
