package dev.polar.trajectory;

import dev.polar.spi.ApiType;
import dev.polar.spi.BuiltTrajectory;
import dev.polar.spi.Check;
import dev.polar.spi.Evaluation;
import dev.polar.spi.SessionInfo;
import dev.polar.spi.SessionRecord;
import dev.polar.spi.SessionStatus;
import java.util.Map;

/**
 * All that a trajectory is assembled from. Start with {@link #of} and add what the session came to; what it never reached stays absent.
 *
 * @param session ids and the task's metadata
 * @param builder {@code builder.strategy}
 * @param status as the session's
 * @param error null on a COMPLETED session
 * @param agentTimeout true where the agent used up its own {@code agent_timeout}
 * @param models what was asked for and served
 * @param record null for a session that never started
 * @param built null where there is nothing or it was not built
 * @param notBuilt why it was not built, or null
 * @param evaluator {@code evaluator.strategy}, or null
 * @param evaluation null where there was none
 * @param agentResult never null
 * @param traceMetadata what the harness states of each trace; never null
 */
public record SessionOutcome(
        SessionInfo session,
        String builder,
        SessionStatus status,
        String error,
        boolean agentTimeout,
        Models models,
        SessionRecord record,
        BuiltTrajectory built,
        String notBuilt,
        String evaluator,
        Evaluation evaluation,
        Map<String, Object> agentResult,
        Map<String, Object> traceMetadata) {
    /**
     * The fallbacks where the record has no call to tell from, and what was in force.
     *
     * @param requested the model that the task asks for, or null
     * @param served the model that the node serves, or null
     * @param api the harness's dialect, or null
     * @param continuation how turns went on from earlier ones at the node: {@code mode} and {@code keep}; empty without a node
     * @param harness whose agent ran or was to run, by name; null for one that ran elsewhere
     */
    public record Models(
            String requested, String served, ApiType api, Map<String, Object> continuation, String harness) {
        public Models {
            continuation = Check.map(continuation);
        }

        public Models(String requested, String served, ApiType api) {
            this(requested, served, api, Map.of(), null);
        }
    }

    public SessionOutcome {
        Check.present("session", session);
        Check.text("builder", builder);
        Check.present("status", status);
        models = Check.orElse(models, new Models(null, null, null));
        agentResult = Check.map(agentResult);
        traceMetadata = Check.map(traceMetadata);
    }

    /** A session that got nowhere: ERROR with {@code error}. */
    public static SessionOutcome of(SessionInfo session, String builder, Models models, String error) {
        return new SessionOutcome(
                session, builder, SessionStatus.ERROR, error, false, models, null, null, null, null, null, null, null);
    }

    /** How it ended. */
    public SessionOutcome ended(SessionStatus status, String error) {
        return new SessionOutcome(
                session,
                builder,
                status,
                error,
                agentTimeout,
                models,
                record,
                built,
                notBuilt,
                evaluator,
                evaluation,
                agentResult,
                traceMetadata);
    }

    /** What the harness says of the run. Where the agent used up its own {@code agent_timeout}, {@code timedOut} is true and the result says so by itself. */
    public SessionOutcome ran(Map<String, Object> agentResult, Map<String, Object> traceMetadata, boolean timedOut) {
        return new SessionOutcome(
                session,
                builder,
                status,
                error,
                timedOut,
                models,
                record,
                built,
                notBuilt,
                evaluator,
                evaluation,
                agentResult,
                traceMetadata);
    }

    /** It was built. */
    public SessionOutcome built(SessionRecord record, BuiltTrajectory built) {
        return new SessionOutcome(
                session,
                builder,
                status,
                error,
                agentTimeout,
                models,
                record,
                built,
                null,
                evaluator,
                evaluation,
                agentResult,
                traceMetadata);
    }

    /** It was not built: cancelled, stopped early, or an invariant broke. {@code record} may be null. */
    public SessionOutcome notBuilt(SessionRecord record, String why) {
        return new SessionOutcome(
                session,
                builder,
                status,
                error,
                agentTimeout,
                models,
                record,
                null,
                why,
                evaluator,
                evaluation,
                agentResult,
                traceMetadata);
    }

    /** It was scored. */
    public SessionOutcome evaluated(String evaluator, Evaluation evaluation) {
        return new SessionOutcome(
                session,
                builder,
                status,
                error,
                agentTimeout,
                models,
                record,
                built,
                notBuilt,
                evaluator,
                evaluation,
                agentResult,
                traceMetadata);
    }
}
