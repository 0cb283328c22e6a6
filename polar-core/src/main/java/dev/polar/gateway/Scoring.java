package dev.polar.gateway;

import dev.polar.capture.RecordException;
import dev.polar.capture.SessionRecorder;
import dev.polar.gateway.SessionPlan.BoundBuilder;
import dev.polar.gateway.SessionPlan.BoundEvaluator;
import dev.polar.gateway.SessionStopped.Reason;
import dev.polar.proxy.FailedCall;
import dev.polar.spi.BuilderSpec;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.CallSummary;
import dev.polar.spi.Evaluation;
import dev.polar.spi.EvaluationContext;
import dev.polar.spi.EvaluatorSpec;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.Runtime;
import dev.polar.spi.RuntimeSource;
import dev.polar.spi.SessionInfo;
import dev.polar.spi.SessionRecord;
import dev.polar.spi.SessionStatus;
import dev.polar.trajectory.BrokenInvariantException;
import dev.polar.trajectory.EndOfTurn;
import dev.polar.trajectory.SessionOutcome;
import dev.polar.trajectory.TrajectoryAssembler;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** From what an agent left to a scored trajectory. Used by one thread. */
final class Scoring {
    static final String NO_COMPLETIONS = "no completions";
    private static final Logger LOG = LoggerFactory.getLogger(Scoring.class);

    private final NodeParts node;
    private final SessionInfo info;
    private final SessionFolder folder;
    private final Plan plan;
    private final Supplier<Runtime> agentRuntime;
    private final RuntimeSource source;
    private Optional<Object> baseline = Optional.empty();
    private SessionRecord sealed;

    /**
     * What is to be done.
     *
     * @param evaluator null for none, and its binding too
     * @param classifier labels the model calls
     */
    record Plan(
            BuilderSpec builder,
            BoundBuilder<?> boundBuilder,
            EvaluatorSpec evaluator,
            BoundEvaluator<?> boundEvaluator,
            Function<List<CallFacts>, List<CallLabel>> classifier) {}

    /**
     * @param agentRuntime the agent's, once it was started
     * @param source where the evaluator's own commands run
     */
    Scoring(
            NodeParts node,
            SessionInfo info,
            SessionFolder folder,
            Plan plan,
            Supplier<Runtime> agentRuntime,
            RuntimeSource source) {
        this.node = node;
        this.info = info;
        this.folder = folder;
        this.plan = plan;
        this.agentRuntime = agentRuntime;
        this.source = source;
    }

    /** Lets the evaluator look at the runtime as the set-up left it. */
    void baseline(Deadline budget) throws InterruptedException {
        if (plan.boundEvaluator() != null) {
            baseline = baseline(plan.boundEvaluator(), budget);
        }
    }

    private <C extends Record> Optional<Object> baseline(BoundEvaluator<C> bound, Deadline budget)
            throws InterruptedException {
        return bound.evaluator().baseline(context(bound, SessionStatus.INITIALIZING, budget));
    }

    /**
     * Ends the record.
     *
     * @param failed the agent's calls that got no answer
     * @return what the calls come to; nothing where the record cannot be sealed, which {@link #build} says again
     */
    CallSummary seal(SessionRecorder recorder, List<FailedCall> failed) {
        var calls = new AgentCalls(failed, plan.classifier());
        try {
            sealed = seal(recorder, calls::classify);
            return calls.summary(sealed);
        } catch (RecordException damaged) {
            LOG.warn("the record of session {} cannot be sealed: {}", info.sessionId(), damaged.getMessage());
            return CallSummary.NONE;
        }
    }

    /** Ends the record, where that was not done, and makes traces of it. */
    SessionOutcome build(SessionOutcome never, SessionRecorder recorder, Ending ending) {
        var ended = never.ran(ending.result(), ending.traceMetadata(), ending.agentTimeout())
                .ended(ending.status(), ending.error());
        SessionRecord record;
        try {
            record = sealed == null ? seal(recorder, plan.classifier()) : sealed;
        } catch (RecordException damaged) {
            LOG.error("the record of session {} cannot be sealed", info.sessionId(), damaged);
            return ended.notBuilt(null, damaged.getMessage()).ended(SessionStatus.ERROR, damaged.getMessage());
        }
        if (ended.status() == SessionStatus.COMPLETED && record.completions().isEmpty()) {
            ended = ended.ended(SessionStatus.ERROR, NO_COMPLETIONS);
        }
        try {
            return ended.built(record, plan.boundBuilder().build(record));
        } catch (BrokenInvariantException broken) {
            LOG.error("session {}: {}", info.sessionId(), broken.getMessage());
            return ended.notBuilt(record, broken.getMessage()).ended(SessionStatus.ERROR, broken.getMessage());
        } catch (RuntimeException | LinkageError broken) {
            LOG.error("the builder of session {} failed", info.sessionId(), broken);
            var why = "builder '" + plan.builder().strategy() + "' failed: " + Messages.of(broken);
            return ended.notBuilt(record, why).ended(SessionStatus.ERROR, why);
        }
    }

    private SessionRecord seal(SessionRecorder recorder, Function<List<CallFacts>, List<CallLabel>> classifier) {
        var endOfTurn = EndOfTurn.of(plan.builder(), node.config().inference().endOfTurnTokenId(), node.endOfTurn());
        // One that an earlier process had sealed, before it could finish.
        return recorder.sealed().isPresent()
                ? recorder.decideAgain(endOfTurn, node.detokenizer())
                : recorder.seal(classifier, endOfTurn, node.detokenizer());
    }

    /** Ends the record of a session that is not built; null where that cannot be done. */
    SessionRecord sealQuietly(SessionRecorder recorder) {
        try {
            return recorder.sealed().orElseGet(() -> seal(recorder, plan.classifier()));
        } catch (RuntimeException | LinkageError damaged) {
            LOG.warn("the record of session {} cannot be sealed: {}", info.sessionId(), Messages.of(damaged));
            return null;
        }
    }

    /**
     * Lets the evaluator score, while budget remains.
     *
     * @throws SessionStopped where the session was cancelled
     */
    SessionOutcome evaluate(SessionOutcome built, StopSignal stop, Deadline budget) throws SessionStopped {
        if (plan.evaluator() == null) {
            return built;
        }
        var strategy = plan.evaluator().strategy();
        if (built.notBuilt() != null) {
            return built.evaluated(strategy, null);
        }
        var evaluation = new Evaluation[1];
        try {
            stop.within(budget, () -> evaluation[0] = evaluate(plan.boundEvaluator(), built, budget));
            return built.evaluated(strategy, evaluation[0]);
        } catch (SessionStopped stopped) {
            if (stopped.reason() != Reason.DEADLINE) {
                throw stopped;
            }
            return unscored(
                    built.evaluated(strategy, null),
                    SessionStatus.TIMEOUT,
                    "the session ran out of time before it was scored (timeout_seconds: " + budget.seconds() + " s)");
        } catch (ExtensionException failed) {
            return unscored(
                    built.evaluated(strategy, null),
                    SessionStatus.ERROR,
                    "evaluator '" + strategy + "': " + Messages.of(failed));
        } catch (RuntimeException | LinkageError broken) {
            LOG.warn("the evaluator of session {} failed", info.sessionId(), broken);
            return unscored(
                    built.evaluated(strategy, null),
                    SessionStatus.ERROR,
                    "evaluator '" + strategy + "' failed: " + Messages.of(broken));
        }
    }

    private <C extends Record> Evaluation evaluate(BoundEvaluator<C> bound, SessionOutcome built, Deadline budget)
            throws InterruptedException {
        return bound.evaluator()
                .evaluate(context(bound, built.status(), budget), TrajectoryAssembler.unscored(built), baseline);
    }

    /** Why there is no score stands beside the strategy; a session that had ended otherwise keeps its own reason. */
    private static SessionOutcome unscored(SessionOutcome built, SessionStatus status, String why) {
        var noted = built.evaluated(built.evaluator(), new Evaluation(null, null, Map.of("error", why)));
        return built.status() == SessionStatus.COMPLETED ? noted.ended(status, why) : noted;
    }

    private <C extends Record> EvaluationContext<C> context(
            BoundEvaluator<C> bound, SessionStatus status, Deadline budget) {
        return new EvaluationContext<>(
                info,
                bound.config(),
                plan.evaluator().env(),
                agentRuntime.get(),
                source,
                folder.artifacts(),
                folder.scratch(),
                status,
                budget.remaining());
    }
}
