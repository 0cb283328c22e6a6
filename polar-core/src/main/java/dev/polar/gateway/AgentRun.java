package dev.polar.gateway;

import dev.polar.capture.RecordException;
import dev.polar.gateway.SessionClock.Span;
import dev.polar.spi.CallSummary;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.InvalidValueException;
import dev.polar.spi.ModelEndpoint;
import dev.polar.spi.RuntimeRequest;
import dev.polar.spi.SessionDispatch;
import dev.polar.spi.SessionInfo;
import dev.polar.spi.SessionResult;
import dev.polar.spi.SessionStatus;
import dev.polar.trajectory.SessionOutcome;
import dev.polar.trajectory.SessionOutcome.Models;
import dev.polar.wire.BindingException;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One dispatched session, from its admission to its result, on the thread that calls {@link #run}. */
final class AgentRun {
    static final String CANCELLED = "session cancelled";
    private static final Logger LOG = LoggerFactory.getLogger(AgentRun.class);

    private final NodeParts node;
    private final SessionDispatch dispatch;
    private final Session session;
    private final SessionInfo info;
    private final SessionFolder folder;
    private final ModelEndpoint endpoint;
    private final StopSignal stop;
    private final SessionClock clock = new SessionClock();

    private Deadline budget = Deadline.NONE;
    private SessionPlan plan;
    private Sandbox sandbox;
    private EvalRuntime fresh;
    private Scoring scoring;
    private AgentStage stage;

    AgentRun(NodeParts node, SessionDispatch dispatch, Session session) {
        this.node = node;
        this.dispatch = dispatch;
        this.session = session;
        this.stop = session.stop();
        this.info = new SessionInfo(
                dispatch.sessionId(), dispatch.taskId(), node.config().id(), dispatch.metadata());
        this.folder = node.folder().session(dispatch.sessionId());
        this.endpoint = new ModelEndpoint(node.agentUrl(), SessionKeys.next(), model());
    }

    /** The session's life. Returns its result however it ended; throws nothing. */
    SessionResult run() {
        SessionOutcome outcome;
        try (var place = node.stages().arrive(dispatch.dispatchPriority())) {
            outcome = live(place);
        }
        var result = result(outcome);
        if (plan != null) {
            plan.close();
        }
        return result;
    }

    private SessionOutcome live(Stages.Place place) {
        try {
            stop.within(Deadline.NONE, () -> clock.add(Span.REGISTER_TO_INIT_QUEUE, place.awaitInit()));
            initialise();
            session.status(SessionStatus.READY);
            stop.within(budget, () -> clock.add(Span.READY_QUEUE, place.awaitRun()));
            session.status(SessionStatus.RUNNING);
            var ending = runAgent();
            session.status(SessionStatus.POST_RUN);
            // The build always happens, so this wait ends with the session alone, not with its budget.
            stop.within(Deadline.NONE, () -> clock.add(Span.POSTRUN_QUEUE, place.awaitPostrun()));
            return postRun(ending);
        } catch (SessionStopped stopped) {
            return stopped(stopped);
        } catch (ExtensionException refused) {
            return failed(Ending.statusOf(refused), Messages.of(refused));
        } catch (BindingException | InvalidValueException | RecordException refused) {
            return failed(SessionStatus.ERROR, Messages.of(refused));
        } catch (RuntimeException | LinkageError unexpected) {
            LOG.error("session {} failed", dispatch.sessionId(), unexpected);
            return failed(SessionStatus.ERROR, "internal error: " + Messages.of(unexpected));
        } finally {
            cleanUp();
        }
    }

    /** INIT: names and settings, the runtime, what the task prepares, what the evaluator wants to know beforehand. */
    private void initialise() throws SessionStopped {
        session.status(SessionStatus.INITIALIZING);
        budget = Deadline.in(Deadline.Kind.BUDGET, dispatch.remainingTimeoutSeconds());
        try (var running = clock.start(Span.INIT)) {
            plan = SessionPlan.of(dispatch, node.config(), node.plugins());
            sandbox = sandbox("run", SessionEnvironment.endpoint(endpoint));
            fresh = freshRuntime();
            scoring = scoring();
            stop.within(budget, () -> {
                sandbox.start(clock);
                if (!reached().equals(endpoint)) {
                    sandbox.runtime().add(SessionEnvironment.endpoint(reached()));
                }
                sandbox.prepare(plan.runtime().prepare(), clock);
                scoring.baseline(budget);
            });
        }
    }

    /** RUN: the agent, and nothing of it afterwards. */
    private Ending runAgent() throws SessionStopped {
        try (var running = clock.start(Span.RUN)) {
            if (fresh != null) {
                fresh.warm();
            }
            stage = new AgentStage(node, dispatch, info, plan, sandbox, reached(), folder, clock);
            session.completions(stage.recorder()::completionCount);
            return stage.run(stop, budget);
        }
    }

    /** POSTRUN: what the agent left becomes a scored trajectory. */
    private SessionOutcome postRun(Ending ended) throws SessionStopped {
        try (var running = clock.start(Span.POSTRUN)) {
            CallSummary calls;
            try (var sealing = clock.start(Span.BUILD)) {
                calls = scoring.seal(stage.recorder(), stage.failedCalls());
            }
            var ending = stage.collect(ended, calls, stop, budget);
            session.status(SessionStatus.BUILDING);
            SessionOutcome built;
            try (var building = clock.start(Span.BUILD)) {
                built = scoring.build(never(), stage.recorder(), ending);
            }
            if (plan.evaluator().isPresent()) {
                session.status(SessionStatus.EVALUATING);
                try (var evaluating = clock.start(Span.EVAL)) {
                    built = scoring.evaluate(built, stop, budget);
                }
            }
            endRuntimes();
            return built;
        }
    }

    private Sandbox sandbox(String purpose, Map<String, String> model) {
        var spec = plan.runtime();
        var request = new RuntimeRequest(
                info,
                purpose,
                spec,
                node.folder().runtimes(plan.provider()),
                "run".equals(purpose) ? folder.session() : folder.eval(),
                node.folder().cache(),
                SessionEnvironment.of(model, info, spec));
        var logs = "run".equals(purpose) ? folder.logs() : folder.logs().resolve("eval");
        return new Sandbox(
                plan.provider(),
                request,
                new Preparation(new UploadRoots(node.config().roots()), logs));
    }

    private EvalRuntime freshRuntime() {
        if (dispatch.evaluator() == null || !dispatch.evaluator().refreshRuntime()) {
            return null;
        }
        // It calls no model, so it gets no key.
        return new EvalRuntime(
                sandbox("eval", SessionEnvironment.addresses(endpoint)),
                plan.runtime().evaluationPrepare(),
                budget,
                dispatch.sessionId());
    }

    private Scoring scoring() {
        var bound = new Scoring.Plan(
                dispatch.builder(),
                plan.builder(),
                dispatch.evaluator(),
                plan.evaluator().orElse(null),
                plan.harness().harness()::classify);
        return new Scoring(node, info, folder, bound, sandbox::runtime, fresh == null ? sandbox::runtime : fresh);
    }

    private ModelEndpoint reached() {
        return new ModelEndpoint(sandbox.runtime().reach(endpoint.baseUrl()), endpoint.apiKey(), endpoint.model());
    }

    private String model() {
        var asked = dispatch.agent().modelName();
        var served = node.config().modelServed();
        return asked != null ? asked : served.isEmpty() ? "default" : served;
    }

    private SessionOutcome never() {
        var served = node.config().modelServed();
        var api = plan == null ? null : plan.harness().harness().api().orElse(null);
        return SessionOutcome.of(
                info,
                dispatch.builder().strategy(),
                new Models(
                        dispatch.agent().modelName(),
                        served.isEmpty() ? null : served,
                        api,
                        node.continuation().get(),
                        dispatch.agent().name()),
                "the session was not started");
    }

    private SessionOutcome failed(SessionStatus status, String why) {
        return withRecord(never().ended(status, why), why);
    }

    private SessionOutcome stopped(SessionStopped stopped) {
        return switch (stopped.reason()) {
            case CANCELLED -> cancelled(CANCELLED);
            case NODE_STOPPED ->
                cancelled(CANCELLED + ": gateway node '" + node.config().id() + "' was stopped");
            case DEADLINE ->
                withRecord(
                        never().ended(
                                        SessionStatus.TIMEOUT,
                                        "the session ran out of time while it was " + session.status()
                                                + " (timeout_seconds: "
                                                + stopped.deadline().seconds() + " s)"),
                        "the session ran out of time");
        };
    }

    private SessionOutcome cancelled(String why) {
        return withRecord(never().ended(SessionStatus.ERROR, why), why);
    }

    /** A session that is not built keeps what it recorded; one that never ran has nothing to build. */
    private SessionOutcome withRecord(SessionOutcome outcome, String why) {
        cleanUp();
        if (stage == null || stage.recorder() == null) {
            return stop.cancelled() == null ? outcome : outcome.notBuilt(null, why);
        }
        return outcome.notBuilt(scoring.sealQuietly(stage.recorder()), why);
    }

    /** Gives back all that the session held. May be called again. */
    private void cleanUp() {
        if (stage != null) {
            stage.close();
        }
        endRuntimes();
    }

    private void endRuntimes() {
        if (fresh != null) {
            fresh.close(clock);
        }
        if (sandbox != null) {
            sandbox.stop(clock);
        }
    }

    private SessionResult result(SessionOutcome outcome) {
        // The last look at the signal: a session that was cancelled before its result was made is a cancelled one.
        var last = stop.cancelled() == null || outcome.notBuilt() != null
                ? outcome
                : stopped(new SessionStopped(stop.cancelled(), Deadline.NONE));
        return Results.of(
                last, clock, node.config().id(), dispatch.metadata(), dispatch.attempt(), dispatch.submittedAt());
    }
}
