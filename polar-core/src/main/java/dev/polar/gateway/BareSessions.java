package dev.polar.gateway;

import dev.polar.capture.SessionRecorder;
import dev.polar.gateway.SessionException.Kind;
import dev.polar.proxy.AgentSession;
import dev.polar.spi.DefaultClassifier;
import dev.polar.spi.Runtime;
import dev.polar.spi.Sampling;
import dev.polar.spi.SessionInfo;
import dev.polar.spi.SessionResult;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.TaskRequest;
import dev.polar.trajectory.SessionOutcome;
import dev.polar.trajectory.SessionOutcome.Models;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sessions of agents that run elsewhere: open from their registration until they are finished or deleted, also over a restart of the node. Thread-safe. */
final class BareSessions {
    private static final Logger LOG = LoggerFactory.getLogger(BareSessions.class);
    private static final Duration CALLS_END_LIMIT = Duration.ofSeconds(60);
    private static final double EVALUATION_SECONDS = 600;

    private final NodeParts node;
    private final Map<String, AgentSession> open = new ConcurrentHashMap<>();
    /** Strangers' keys, by the session that was made for each. */
    private final Map<String, String> strangers = new ConcurrentHashMap<>();

    private final ReentrantLock strangersLock = new ReentrantLock();

    BareSessions(NodeParts node) {
        this.node = node;
    }

    static SessionManifest manifest(String sessionId, String taskId, double now) {
        var id = TaskRequest.checkId("session_id", sessionId);
        return new SessionManifest(
                id,
                TaskRequest.checkId("task_id", taskId == null ? id : taskId),
                true,
                now,
                0,
                1,
                null,
                "per_request",
                null,
                Map.of());
    }

    /** Opens a new session's model calls; its id is its key. */
    void open(Session session) {
        open(session, node.records().create(session.id(), session.manifest().taskId()));
    }

    /** Goes on with a session of an earlier process, with what it had recorded. */
    Session recover(SessionManifest manifest, Session.Listener listener) {
        var session = new Session(manifest, SessionStatus.RUNNING, null, listener);
        open(
                session,
                node.records()
                        .find(manifest.sessionId())
                        .orElseGet(() -> node.records().create(manifest.sessionId(), manifest.taskId())));
        return session;
    }

    private void open(Session session, SessionRecorder recorder) {
        var agent =
                new AgentSession(session.id(), session.manifest().taskId(), true, recorder, Sampling.NONE, Map.of());
        open.put(session.id(), agent);
        session.completions(recorder::completionCount);
        // Its finish had begun when the process ended: it takes no more calls, and can be finished again.
        if (recorder.sealed().isEmpty()) {
            agent.open();
            node.directory().add(session.id(), agent);
        }
    }

    /**
     * The session of a stranger's key.
     *
     * @param key null for a caller without one
     * @param opened makes a session
     */
    AgentSession stranger(String key, Supplier<Session> opened) {
        if (key == null) {
            return open.get(opened.get().id());
        }
        strangersLock.lock();
        try {
            // Another call with this key may have been faster.
            return node.directory().byKey(key).orElseGet(() -> {
                var agent = open.get(opened.get().id());
                strangers.put(agent.sessionId(), key);
                node.directory().add(key, agent);
                return agent;
            });
        } finally {
            strangersLock.unlock();
        }
    }

    /**
     * Ends a session's calls, builds and scores it.
     *
     * @throws SessionException where it is not open
     */
    SessionResult finish(Session session, FinishRequest request) {
        try (var plan = SessionPlan.bare(request, node.plugins())) {
            var agent = open.get(session.id());
            if (agent == null || !open.remove(session.id(), agent)) {
                throw new SessionException(
                        Kind.UNFIT, "session " + session.id() + " is not open: it was finished or deleted");
            }
            var clock = new SessionClock();
            session.status(SessionStatus.POST_RUN);
            end(session, agent);
            var info = new SessionInfo(
                    session.id(), session.manifest().taskId(), node.config().id(), request.metadata());
            try {
                return score(session, request, plan, agent.recorder(), info, clock);
            } catch (RuntimeException | LinkageError unexpected) {
                LOG.error("the bare session {} was lost", session.id(), unexpected);
                return UnfinishedResults.lost(
                        session.manifest(), node.config().id(), "internal error: " + Messages.of(unexpected));
            }
        }
    }

    private SessionResult score(
            Session session,
            FinishRequest request,
            SessionPlan plan,
            SessionRecorder recorder,
            SessionInfo info,
            SessionClock clock) {
        Runtime none = new NoRuntime();
        var scoring = new Scoring(
                node,
                info,
                node.folder().session(session.id()),
                new Scoring.Plan(
                        request.builder(),
                        plan.builder(),
                        request.evaluator(),
                        plan.evaluator().orElse(null),
                        DefaultClassifier::classify),
                () -> none,
                () -> none);
        var served = node.config().modelServed();
        var models = new Models(
                null,
                served.isEmpty() ? null : served,
                null,
                node.continuation().get(),
                null);
        var never = SessionOutcome.of(info, request.builder().strategy(), models, null);
        SessionOutcome outcome;
        session.status(SessionStatus.BUILDING);
        try (var building = clock.start(SessionClock.Span.BUILD)) {
            outcome = scoring.build(never, recorder, Ending.elsewhere());
        }
        session.status(SessionStatus.EVALUATING);
        try (var evaluating = clock.start(SessionClock.Span.EVAL)) {
            outcome = scoring.evaluate(outcome, session.stop(), Deadline.in(Deadline.Kind.BUDGET, EVALUATION_SECONDS));
        } catch (SessionStopped stopped) {
            outcome = outcome.notBuilt(outcome.record(), AgentRun.CANCELLED)
                    .ended(SessionStatus.ERROR, AgentRun.CANCELLED);
        }
        var metadata = new LinkedHashMap<>(request.metadata());
        return Results.of(outcome, clock, node.config().id(), metadata, 1, null);
    }

    /** Ends a session and removes its record. Returns how many completions that held. */
    int delete(Session session) {
        session.stop().cancel(SessionStopped.Reason.CANCELLED);
        var agent = open.remove(session.id());
        if (agent != null) {
            end(session, agent);
        }
        int removed = node.records().delete(session.id());
        CleanUp.run(
                "removing the folder of session " + session.id(),
                CALLS_END_LIMIT,
                () -> node.folder().session(session.id()).delete());
        return removed;
    }

    private void end(Session session, AgentSession agent) {
        end(session.id(), agent);
    }

    private void end(String id, AgentSession agent) {
        node.directory().remove(id);
        var key = strangers.remove(id);
        if (key != null) {
            node.directory().remove(key);
        }
        CleanUp.run("ending the model calls of session " + id, CALLS_END_LIMIT, agent::close);
    }

    /** Ends all calls. The sessions stay open: the next process goes on with them. */
    void close() {
        open.forEach(this::end);
    }
}
