package dev.polar.gateway;

import dev.polar.capture.SessionRecorder;
import dev.polar.gateway.SessionClock.Span;
import dev.polar.gateway.SessionPlan.BoundHarness;
import dev.polar.gateway.SessionStopped.Reason;
import dev.polar.proxy.AgentSession;
import dev.polar.proxy.FailedCall;
import dev.polar.spi.CallSummary;
import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.ModelEndpoint;
import dev.polar.spi.SessionDispatch;
import dev.polar.spi.SessionInfo;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.TaskMetadata;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The agent's time in a session: its key opens, its commands run, its key closes, and nothing of it is left. Used by the session's own thread. */
final class AgentStage {
    private static final Logger LOG = LoggerFactory.getLogger(AgentStage.class);
    private static final Duration CALLS_END_LIMIT = Duration.ofSeconds(60);

    private final NodeParts node;
    private final SessionDispatch dispatch;
    private final SessionInfo info;
    private final SessionPlan plan;
    private final Sandbox sandbox;
    private final ModelEndpoint endpoint;
    private final SessionFolder folder;
    private final SessionClock clock;
    private final Map<String, String> env;
    private final SessionRecorder recorder;
    private final AgentSession agent;
    private ExecRequest command;
    private ExecResult last;
    private String step = "setup";
    private boolean closed;

    AgentStage(
            NodeParts node,
            SessionDispatch dispatch,
            SessionInfo info,
            SessionPlan plan,
            Sandbox sandbox,
            ModelEndpoint endpoint,
            SessionFolder folder,
            SessionClock clock) {
        this.node = node;
        this.dispatch = dispatch;
        this.info = info;
        this.plan = plan;
        this.sandbox = sandbox;
        this.endpoint = endpoint;
        this.folder = folder;
        this.clock = clock;
        this.env = environment();
        this.recorder = node.records().create(dispatch.sessionId(), dispatch.taskId());
        this.agent = new AgentSession(
                dispatch.sessionId(), dispatch.taskId(), false, recorder, plan.sampling(), plan.modelKwargs());
    }

    /** What the agent asked and was answered. */
    SessionRecorder recorder() {
        return recorder;
    }

    /**
     * Runs the agent until it ends or its time does.
     *
     * @throws SessionStopped where the session was cancelled
     */
    Ending run(StopSignal stop, Deadline budget) throws SessionStopped {
        var timeout = TaskMetadata.agentTimeoutSeconds(dispatch.metadata());
        var deadline = timeout.isEmpty()
                ? budget
                : budget.orEarlier(Deadline.in(Deadline.Kind.AGENT_TIMEOUT, timeout.getAsDouble()));
        sandbox.runtime().add(dispatch.agent().env());
        agent.open();
        node.directory().add(endpoint.apiKey(), agent);
        try {
            stop.within(deadline, () -> runAgent(plan.harness(), deadline));
            return Ending.ran(last, plan.runtime().memoryMb());
        } catch (SessionStopped stopped) {
            if (stopped.reason() != Reason.DEADLINE) {
                throw stopped;
            }
            return Ending.timeout(deadline, step);
        } catch (ExtensionException failed) {
            return Ending.failed(Messages.of(failed), step);
        } catch (RuntimeException | LinkageError broken) {
            LOG.warn("the harness of session {} failed", dispatch.sessionId(), broken);
            return Ending.failed(
                    "harness '" + dispatch.agent().name() + "' failed in " + step + ": " + Messages.of(broken), step);
        } finally {
            close();
        }
    }

    private <S extends Record> void runAgent(BoundHarness<S> bound, Deadline deadline) throws InterruptedException {
        List<ExecRequest> commands;
        try (var running = clock.start(Span.AGENT_SETUP)) {
            bound.harness().setup(context(bound, deadline));
            commands = bound.harness().commands(context(bound, deadline));
        }
        if (commands.isEmpty()) {
            throw new ExtensionException(
                    ExtensionException.Category.REQUEST,
                    "harness '" + dispatch.agent().name() + "' has no command to run");
        }
        step = "exec";
        try (var running = clock.start(Span.AGENT_EXEC)) {
            for (int index = 0; index < commands.size(); index++) {
                command = logged(commands.get(index), index);
                last = sandbox.runtime().exec(command);
                if (!last.succeeded()) {
                    return;
                }
            }
        }
    }

    /** What the agent prints is kept with the session, unless the harness keeps it elsewhere. */
    private ExecRequest logged(ExecRequest command, int index) {
        var name = index == 0 ? "agent" : "agent-" + index;
        return command.stdoutFile() != null || command.stderrFile() != null
                ? command
                : command.withOutputFiles(
                        folder.logs().resolve(name + ".stdout.log"),
                        folder.logs().resolve(name + ".stderr.log"));
    }

    /** The calls that the agent got no answer to. Complete once it is closed. */
    List<FailedCall> failedCalls() {
        return agent.failedCalls();
    }

    /**
     * Lets the harness say how a run that was not cut off went. Of a run that failed, what it printed is told too.
     *
     * @param calls what the record says
     */
    Ending collect(Ending ending, CallSummary calls, StopSignal stop, Deadline budget) throws SessionStopped {
        var judged = judged(ending, calls, stop, budget);
        return judged.error() == null || command == null
                ? judged
                : judged.with("log", AgentLog.of(command, Secrets.of(env)).told(judged.last()));
    }

    private Ending judged(Ending ending, CallSummary calls, StopSignal stop, Deadline budget) throws SessionStopped {
        if (ending.last() == null) {
            return ending;
        }
        var judged = new Ending[] {ending};
        try {
            stop.within(budget, () -> judged[0] = collect(plan.harness(), ending, calls, budget));
            return judged[0];
        } catch (SessionStopped stopped) {
            if (stopped.reason() != Reason.DEADLINE) {
                throw stopped;
            }
            return ending.spoiled(
                    SessionStatus.TIMEOUT,
                    "the session ran out of time after the agent had ended (timeout_seconds: " + budget.seconds()
                            + " s)");
        } catch (ExtensionException failed) {
            return ending.spoiled(SessionStatus.ERROR, Messages.of(failed));
        } catch (RuntimeException | LinkageError broken) {
            LOG.warn("the harness of session {} failed", dispatch.sessionId(), broken);
            return ending.spoiled(
                    SessionStatus.ERROR,
                    "harness '" + dispatch.agent().name() + "' failed in collect: " + Messages.of(broken));
        }
    }

    private <S extends Record> Ending collect(BoundHarness<S> bound, Ending ending, CallSummary calls, Deadline budget)
            throws InterruptedException {
        return ending.judged(bound.harness().collect(context(bound, budget), ending.last(), calls));
    }

    private <S extends Record> HarnessContext<S> context(BoundHarness<S> bound, Deadline deadline) {
        return new HarnessContext<>(
                info,
                dispatch.agent(),
                bound.settings(),
                dispatch.instruction(),
                sandbox.runtime(),
                endpoint,
                env,
                node.folder().cache(),
                deadline.remaining());
    }

    private Map<String, String> environment() {
        var all =
                new LinkedHashMap<>(SessionEnvironment.of(SessionEnvironment.endpoint(endpoint), info, plan.runtime()));
        all.putAll(dispatch.agent().env());
        all.put(
                SessionEnvironment.ALLOW_INTERNET,
                plan.runtime().allowInternet().toString());
        return all;
    }

    /** The key closes, calls in flight end and are recorded, the agent's processes are gone. May be called again. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        node.directory().remove(endpoint.apiKey());
        CleanUp.run("ending the model calls of session " + dispatch.sessionId(), CALLS_END_LIMIT, agent::close);
        sandbox.endProcesses();
    }
}
