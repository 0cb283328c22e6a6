package dev.polar.gateway;

import dev.polar.spi.Evaluation;
import dev.polar.spi.EvaluationContext;
import dev.polar.spi.Evaluator;
import dev.polar.spi.ExecRequest;
import dev.polar.spi.Trajectory;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Stands in for an evaluator that runs a command and remembers what it saw. */
final class DoubleEvaluator implements Evaluator<DoubleEvaluator.Config> {
    /** Its configuration. */
    record Config(Double reward, Integer traceRewards) {}

    private final Steps steps;
    volatile EvaluationContext<Config> seen;
    volatile Trajectory trajectory;

    DoubleEvaluator(Steps steps) {
        this.steps = steps;
    }

    @Override
    public Set<String> names() {
        return Set.of("double");
    }

    @Override
    public Class<Config> configType() {
        return Config.class;
    }

    @Override
    public Optional<Object> baseline(EvaluationContext<Config> context) throws InterruptedException {
        steps.reach("baseline");
        return Optional.of("as it was");
    }

    @Override
    public Evaluation evaluate(EvaluationContext<Config> context, Trajectory built, Optional<Object> baseline)
            throws InterruptedException {
        seen = context;
        trajectory = built;
        steps.reach("evaluate");
        context.runtime().get().exec(ExecRequest.of("score"));
        var count = context.config().traceRewards();
        return new Evaluation(
                context.config().reward() == null
                        ? Double.valueOf(0.5)
                        : context.config().reward(),
                count == null ? null : java.util.Collections.nCopies(count, 1.0),
                Map.of("report", Map.of("resolved", true), "baseline", baseline.orElse("missing")));
    }
}
