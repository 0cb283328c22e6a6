package dev.polar.spi;

import java.util.Map;

/**
 * How a session ended.
 *
 * @param sessionId the attempt's
 * @param taskId its task's
 * @param status terminal
 * @param trajectory never null, also for a session that never started
 * @param timing never null
 * @param nodeId the node that ran it, or null where none did
 * @param error null on every COMPLETED session
 * @param metadata the task's, with {@code attempt} and {@code timing_detail} added
 */
public record SessionResult(
        String sessionId,
        String taskId,
        SessionStatus status,
        Trajectory trajectory,
        Timing timing,
        String nodeId,
        String error,
        Map<String, Object> metadata) {
    public SessionResult {
        Check.text("session_id", sessionId);
        Check.text("task_id", taskId);
        if (!Check.present("status", status).terminal()) {
            throw new InvalidValueException("status", status + " is not terminal");
        }
        Check.present("trajectory", trajectory);
        timing = Check.orElse(timing, Timing.ZERO);
        metadata = Check.map(metadata);
    }
}
