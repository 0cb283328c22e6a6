package dev.polar.gateway;

import dev.polar.spi.Check;
import dev.polar.spi.SessionDispatch;
import java.util.Map;

/**
 * What is kept of a session from its first moment, so that a node that was killed can still say what became of it. Holds no secret and nothing of the environment.
 *
 * @param bare true for a session of an outside agent
 * @param createdAt epoch seconds
 * @param submittedAt the task's, in epoch seconds, or null
 * @param metadata the task's
 */
record SessionManifest(
        String sessionId,
        String taskId,
        boolean bare,
        double createdAt,
        int sample,
        int attempt,
        Double submittedAt,
        String builder,
        String model,
        Map<String, Object> metadata) {
    SessionManifest {
        metadata = Check.map(metadata);
    }

    static SessionManifest of(SessionDispatch dispatch, double now) {
        return new SessionManifest(
                dispatch.sessionId(),
                dispatch.taskId(),
                false,
                now,
                dispatch.sample(),
                dispatch.attempt(),
                dispatch.submittedAt(),
                dispatch.builder().strategy(),
                dispatch.agent().modelName(),
                dispatch.metadata());
    }
}
