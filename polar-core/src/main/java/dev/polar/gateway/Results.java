package dev.polar.gateway;

import dev.polar.spi.SessionResult;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.Trajectory;
import dev.polar.trajectory.RewardException;
import dev.polar.trajectory.SessionOutcome;
import dev.polar.trajectory.TrajectoryAssembler;
import java.util.LinkedHashMap;
import java.util.Map;

/** Makes a session's result of what it came to. */
final class Results {
    private Results() {}

    /**
     * A session's result.
     *
     * @param metadata the task's
     * @param submittedAt when the task was, in epoch seconds; null where nobody says
     */
    static SessionResult of(
            SessionOutcome outcome,
            SessionClock clock,
            String nodeId,
            Map<String, Object> metadata,
            int attempt,
            Double submittedAt) {
        var trajectory = trajectory(outcome);
        var all = new LinkedHashMap<>(metadata);
        all.put("attempt", attempt);
        if (submittedAt != null) {
            all.put("submitted_at", submittedAt);
        }
        all.put("timing_detail", clock.detail());
        return new SessionResult(
                outcome.session().sessionId(),
                outcome.session().taskId(),
                trajectory.status(),
                trajectory,
                clock.timing(),
                nodeId,
                trajectory.error(),
                all);
    }

    private static Trajectory trajectory(SessionOutcome outcome) {
        try {
            return TrajectoryAssembler.assemble(outcome);
        } catch (RewardException unfit) {
            return TrajectoryAssembler.assemble(
                    outcome.evaluated(outcome.evaluator(), null).ended(SessionStatus.ERROR, unfit.getMessage()));
        }
    }
}
