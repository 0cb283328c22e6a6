package dev.polar.gateway;

import dev.polar.spi.SessionInfo;
import dev.polar.spi.SessionResult;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.Trajectory;
import dev.polar.trajectory.SessionOutcome;
import dev.polar.trajectory.SessionOutcome.Models;
import dev.polar.wire.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Results of sessions that could not end as they should. */
final class UnfinishedResults {
    private UnfinishedResults() {}

    /** Of a session that ran when the node's process was killed. */
    static SessionResult interrupted(SessionManifest manifest, String nodeId) {
        return lost(
                manifest,
                nodeId,
                "the session was interrupted: gateway node '" + nodeId + "' was restarted while it ran");
    }

    /** Of a session of which nothing else is left. */
    static SessionResult lost(SessionManifest manifest, String nodeId, String why) {
        var info = new SessionInfo(manifest.sessionId(), manifest.taskId(), nodeId, manifest.metadata());
        var outcome = SessionOutcome.of(info, manifest.builder(), new Models(manifest.model(), null, null), why)
                .notBuilt(null, why);
        return Results.of(
                outcome, new SessionClock(), nodeId, manifest.metadata(), manifest.attempt(), manifest.submittedAt());
    }

    /** What is left of a result that the disk did not take. */
    static SessionResult unwritten(SessionResult result, String problem) {
        var why = "the session's result could not be written: " + problem;
        Map<String, Object> metadata = new LinkedHashMap<>(result.trajectory().metadata());
        metadata.put("trace_count", 0);
        metadata.put("not_built", why);
        metadata.remove("excluded_completions");
        return new SessionResult(
                result.sessionId(),
                result.taskId(),
                SessionStatus.ERROR,
                new Trajectory(SessionStatus.ERROR, metadata, List.of(), why),
                result.timing(),
                result.nodeId(),
                why,
                result.metadata());
    }

    static byte[] json(SessionResult result) {
        try {
            return Json.MAPPER.writeValueAsBytes(result);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }
}
