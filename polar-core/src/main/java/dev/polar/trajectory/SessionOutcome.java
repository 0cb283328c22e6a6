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
 * @param models what was asked for and served
 * @param end how it ended
 * @param run what became of its agent
 * @param build what became of its record
 * @param score what it earned
 */
public record SessionOutcome(
        SessionInfo session, String builder, Models models, End end, Run run, Build build, Score score) {
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

    /** @param error null on a COMPLETED session */
    public record End(SessionStatus status, String error) {
        public End {
            Check.present("status", status);
        }
    }

    /**
     * What the harness says.
     *
     * @param agentResult never null
     * @param traceMetadata what it states of each trace; never null
     * @param agentTimeout true where the agent used up its own {@code agent_timeout}
     */
    public record Run(Map<String, Object> agentResult, Map<String, Object> traceMetadata, boolean agentTimeout) {
        private static final Run NONE = new Run(null, null, false);

        public Run {
            agentResult = Check.map(agentResult);
            traceMetadata = Check.map(traceMetadata);
        }
    }

    /**
     * What the builder made.
     *
     * @param record null for a session that never started
     * @param built null where there is nothing or it was not built
     * @param notBuilt why it was not built, or null
     */
    public record Build(SessionRecord record, BuiltTrajectory built, String notBuilt) {
        private static final Build NONE = new Build(null, null, null);
    }

    /**
     * What the evaluator gave.
     *
     * @param evaluator {@code evaluator.strategy}, or null
     * @param evaluation null where there was none
     */
    public record Score(String evaluator, Evaluation evaluation) {
        private static final Score NONE = new Score(null, null);
    }

    public SessionOutcome {
        Check.present("session", session);
        Check.text("builder", builder);
        models = Check.orElse(models, new Models(null, null, null));
    }

    /** A session that got nowhere: ERROR with {@code error}. */
    public static SessionOutcome of(SessionInfo session, String builder, Models models, String error) {
        return new SessionOutcome(
                session, builder, models, new End(SessionStatus.ERROR, error), Run.NONE, Build.NONE, Score.NONE);
    }

    /** How it ended. */
    public SessionOutcome ended(SessionStatus status, String error) {
        return new SessionOutcome(session, builder, models, new End(status, error), run, build, score);
    }

    /** What the harness says of the run. Where the agent used up its own {@code agent_timeout}, {@code timedOut} is true and the result says so by itself. */
    public SessionOutcome ran(Map<String, Object> agentResult, Map<String, Object> traceMetadata, boolean timedOut) {
        return new SessionOutcome(
                session, builder, models, end, new Run(agentResult, traceMetadata, timedOut), build, score);
    }

    /** It was built. */
    public SessionOutcome built(SessionRecord record, BuiltTrajectory built) {
        return new SessionOutcome(session, builder, models, end, run, new Build(record, built, null), score);
    }

    /** It was not built: cancelled, stopped early, or an invariant broke. {@code record} may be null. */
    public SessionOutcome notBuilt(SessionRecord record, String why) {
        return new SessionOutcome(session, builder, models, end, run, new Build(record, null, why), score);
    }

    /** It was scored. */
    public SessionOutcome evaluated(String evaluator, Evaluation evaluation) {
        return new SessionOutcome(session, builder, models, end, run, build, new Score(evaluator, evaluation));
    }

    public SessionStatus status() {
        return end.status();
    }

    /** Null on a COMPLETED session. */
    public String error() {
        return end.error();
    }

    /** True where the agent used up its own {@code agent_timeout}. */
    public boolean agentTimeout() {
        return run.agentTimeout();
    }

    /** Never null. */
    public Map<String, Object> agentResult() {
        return run.agentResult();
    }

    /** What the harness states of each trace; never null. */
    public Map<String, Object> traceMetadata() {
        return run.traceMetadata();
    }

    /** Null for a session that never started. */
    public SessionRecord record() {
        return build.record();
    }

    /** Null where there is nothing or it was not built. */
    public BuiltTrajectory built() {
        return build.built();
    }

    /** Why it was not built, or null. */
    public String notBuilt() {
        return build.notBuilt();
    }

    /** {@code evaluator.strategy}, or null. */
    public String evaluator() {
        return score.evaluator();
    }

    /** Null where there was none. */
    public Evaluation evaluation() {
        return score.evaluation();
    }
}
