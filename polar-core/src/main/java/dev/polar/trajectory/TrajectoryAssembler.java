package dev.polar.trajectory;

import dev.polar.spi.BuiltTrajectory;
import dev.polar.spi.Evaluation;
import dev.polar.spi.SessionRecord;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.Trace;
import dev.polar.spi.Trajectory;
import dev.polar.spi.TrajectoryBuilder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Makes the trajectory of a session's result. Stateless. */
public final class TrajectoryAssembler {
    /** Keys of the task's metadata that are lifted onto the trajectory's. */
    private static final List<String> LIFTED = List.of("group_id", "policy_version", "rollout_step");

    private TrajectoryAssembler() {}

    /**
     * Builds, and holds the builder to the invariants.
     *
     * @throws BrokenInvariantException where its output breaks one
     */
    public static <C extends Record> BuiltTrajectory build(
            TrajectoryBuilder<C> builder, SessionRecord record, C config) {
        var built = builder.build(record, config);
        Invariants.check(record, built);
        return built;
    }

    /** The trajectory before rewards and filters: what an evaluator sees. */
    public static Trajectory unscored(SessionOutcome outcome) {
        return trajectory(outcome, stated(outcome));
    }

    /**
     * The trajectory of the result: rewards merged, then filtered.
     *
     * @throws RewardException where the evaluation's per-trace rewards do not fit the traces
     */
    public static Trajectory assemble(SessionOutcome outcome) {
        var rewarded = Rewards.set(stated(outcome), outcome.evaluation());
        return trajectory(outcome, LazyList.of(rewarded.size(), i -> TrainingFilter.apply(rewarded.get(i), outcome)));
    }

    /** The built traces with what the task and the harness state of them; what the builder says of a trace wins. */
    private static List<Trace> stated(SessionOutcome outcome) {
        if (outcome.built() == null) {
            return List.of();
        }
        var traces = outcome.built().traces();
        return LazyList.of(traces.size(), i -> stated(traces.get(i), outcome));
    }

    private static Trace stated(Trace trace, SessionOutcome outcome) {
        var metadata = new LinkedHashMap<>(outcome.session().metadata());
        metadata.putAll(outcome.traceMetadata());
        metadata.put("session_id", outcome.session().sessionId());
        metadata.put("task_id", outcome.session().taskId());
        metadata.putAll(trace.metadata());
        return trace.withMetadata(metadata);
    }

    private static Trajectory trajectory(SessionOutcome outcome, List<Trace> traces) {
        var built = outcome.built();
        var session = outcome.session();
        var calls = Calls.of(outcome);
        var metadata = new LinkedHashMap<String, Object>();
        metadata.put("builder", outcome.builder());
        metadata.put("session_id", session.sessionId());
        metadata.put("task_id", session.taskId());
        metadata.put("harness", outcome.models().harness());
        metadata.put("api_type", calls.api() == null ? null : calls.api().wire());
        metadata.put("model_requested", calls.requested());
        metadata.put("model_used", calls.used());
        metadata.put(
                "record_count",
                outcome.record() == null ? 0 : outcome.record().completions().size());
        metadata.put("trace_count", traces.size());
        metadata.put("task_metadata", session.metadata());
        metadata.put("reconstruction_stats", built == null ? ReconstructionStats.NONE : built.reconstructionStats());
        metadata.put("continuation", ContinuationStats.of(outcome.models().continuation(), outcome.record()));
        metadata.put("dropped_rules", DroppedRules.of(outcome.record()));
        metadata.put("evaluation", evaluation(outcome));
        metadata.put("agent_result", agentResult(outcome));
        metadata.put("builder_config", built == null ? Map.of() : built.builderConfig());
        if (outcome.notBuilt() == null) {
            metadata.put("excluded_completions", built == null ? List.of() : excluded(built));
        } else {
            metadata.put("not_built", outcome.notBuilt());
        }
        for (var key : LIFTED) {
            if (session.metadata().containsKey(key)) {
                metadata.put(key, session.metadata().get(key));
            }
        }
        return new Trajectory(outcome.status(), metadata, traces, outcome.error());
    }

    private static List<Map<String, Object>> excluded(BuiltTrajectory built) {
        return built.excluded().stream()
                .map(exclusion -> {
                    var excluded = new LinkedHashMap<String, Object>();
                    excluded.put("completion_id", exclusion.completionId());
                    excluded.put("reason", exclusion.reason());
                    return (Map<String, Object>) excluded;
                })
                .toList();
    }

    private static Map<String, Object> agentResult(SessionOutcome outcome) {
        if (!outcome.agentTimeout()) {
            return outcome.agentResult();
        }
        var result = new LinkedHashMap<>(outcome.agentResult());
        result.put("status", "timeout");
        result.put("timeout_source", "agent");
        result.put("timeout_stage", "exec");
        return result;
    }

    /** The score as it counts: one of a session that did not complete is discarded, and says so. Null where there was no evaluator. */
    private static Map<String, Object> evaluation(SessionOutcome outcome) {
        var scored = outcome.evaluation();
        if (scored == null) {
            return null;
        }
        var evaluation = new LinkedHashMap<String, Object>();
        evaluation.put("strategy", outcome.evaluator());
        evaluation.put("outcome_reward", scored.outcomeReward());
        evaluation.put("trace_rewards", scored.traceRewards());
        scored.details().forEach(evaluation::putIfAbsent);
        if (outcome.status() == SessionStatus.ERROR || outcome.status() == SessionStatus.TIMEOUT) {
            discard(evaluation, scored, outcome);
        }
        return evaluation;
    }

    private static void discard(Map<String, Object> evaluation, Evaluation scored, SessionOutcome outcome) {
        boolean agent = outcome.agentTimeout() && outcome.status() == SessionStatus.TIMEOUT;
        evaluation.put("outcome_reward", 0.0);
        evaluation.put("discarded_outcome_reward", scored.outcomeReward());
        evaluation.put("reward_discarded", true);
        evaluation.put(
                "reward_discard_reason",
                agent ? "agent_timeout" : "session_" + outcome.status().name().toLowerCase(Locale.ROOT));
    }
}
