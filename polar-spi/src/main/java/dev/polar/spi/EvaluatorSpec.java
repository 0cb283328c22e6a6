package dev.polar.spi;

import java.util.Map;

/**
 * How a session is scored.
 *
 * @param strategy name of an {@link Evaluator}
 * @param config the evaluator's own; bound to {@link Evaluator#configType()} when the session starts
 * @param env added for the evaluator's commands
 * @param refreshRuntime true where the evaluator gets a fresh runtime instead of the agent's; default false
 */
public record EvaluatorSpec(
        String strategy, Map<String, Object> config, Map<String, String> env, Boolean refreshRuntime) {
    public EvaluatorSpec {
        Check.text("strategy", strategy);
        config = Check.map(config);
        env = Check.env("env", env);
        refreshRuntime = Check.orElse(refreshRuntime, false);
    }
}
