package dev.polar.evaluation;

import dev.polar.spi.Evaluation;
import dev.polar.spi.EvaluationContext;
import dev.polar.spi.Evaluator;
import dev.polar.spi.NoConfig;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.Trajectory;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** 1.0 for a session that would end as COMPLETED, else 0.0. */
public final class SessionCompletedEvaluator implements Evaluator<NoConfig> {
    @Override
    public Set<String> names() {
        return Set.of("session_completed");
    }

    @Override
    public Class<NoConfig> configType() {
        return NoConfig.class;
    }

    @Override
    public Evaluation evaluate(EvaluationContext<NoConfig> context, Trajectory trajectory, Optional<Object> baseline) {
        boolean completed = context.sessionStatus() == SessionStatus.COMPLETED;
        return new Evaluation(completed ? 1.0 : 0.0, null, Map.of("report", Map.of("resolved", completed)));
    }
}
