package dev.polar.spi;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * What an evaluator gets.
 *
 * @param session which session
 * @param config {@code evaluator.config}, bound
 * @param env {@code evaluator.env}, to be added to the commands it runs
 * @param agentRuntime the runtime that the agent used
 * @param runtime where the evaluation's own commands run: a fresh runtime with {@code refresh_runtime}, else the agent's
 * @param artifactsDir folder on the node whose content is kept with the session
 * @param scratchDir folder on the node that goes with the session
 * @param sessionStatus what the session would end as without the evaluator
 * @param remaining what is left of the budget
 */
public record EvaluationContext<C extends Record>(
        SessionInfo session,
        C config,
        Map<String, String> env,
        Runtime agentRuntime,
        RuntimeSource runtime,
        Path artifactsDir,
        Path scratchDir,
        SessionStatus sessionStatus,
        Duration remaining) {}
