package dev.polar.rollout;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.polar.spi.SessionInfo;
import dev.polar.spi.SessionResult;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.Timing;
import dev.polar.trajectory.SessionOutcome;
import dev.polar.trajectory.TrajectoryAssembler;
import dev.polar.wire.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/** The results that the rollout server writes itself: of samples that no node gave one for. */
final class NeverRan {
    private NeverRan() {}

    /**
     * An ERROR result with every key that a result has.
     *
     * @param extra added to the result's metadata
     */
    static String json(TaskRow task, SessionRow session, String error, Map<String, Object> extra) {
        var request = SessionLedger.request(task);
        var metadata = new LinkedHashMap<String, Object>(request.metadata());
        metadata.put("attempt", session.attempt());
        metadata.put("submitted_at", task.createdAt());
        metadata.put("timing_detail", Map.of());
        metadata.putAll(extra);
        var info = new SessionInfo(session.sessionId(), session.taskId(), session.nodeId(), request.metadata());
        var models = new SessionOutcome.Models(
                request.agent().modelName(),
                null,
                null,
                Map.of(),
                request.agent().name());
        var trajectory = TrajectoryAssembler.assemble(
                SessionOutcome.of(info, request.builder().strategy(), models, error)
                        .notBuilt(null, error));
        var result = new SessionResult(
                session.sessionId(),
                session.taskId(),
                SessionStatus.ERROR,
                trajectory,
                Timing.ZERO,
                session.nodeId(),
                error,
                metadata);
        try {
            return Json.MAPPER.writeValueAsString(result);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
