package dev.polar.rollout;

import dev.polar.rollout.HttpCalls.Answer;
import dev.polar.rollout.NodeChoice.Candidate;
import dev.polar.spi.AgentSpec;
import dev.polar.spi.SessionDispatch;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.TaskMetadata;
import dev.polar.spi.TaskRequest;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives pending sessions to nodes. A session is marked as sent before it is sent, so that after a crash it is known whom to ask; sending it twice to one node is harmless, since the node
 * refuses an id that it knows.
 */
final class Dispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    private static final int BATCH = 256;
    private static final int MOST_REFUSALS = 20;
    private static final double LONGEST_WAIT_SECONDS = 30;

    private final Database database;
    private final Stores stores;
    private final SessionLedger ledger;
    private final SessionLedger.Others others;
    private final HttpCalls http;
    private final Settings settings;
    private final DoubleSupplier now;
    /** Nodes that just refused, and until when others are preferred; a hint that a restart may lose. */
    private final Map<String, Double> avoided = new ConcurrentHashMap<>();

    /**
     * @param owner this server, among those that share the database
     * @param callbackUrl where nodes send results
     * @param graceSeconds an attempt is lost that long after its budget has ended
     */
    record Settings(String owner, String callbackUrl, double graceSeconds) {}

    /** @param now epoch seconds */
    Dispatcher(
            Database database,
            Stores stores,
            SessionLedger ledger,
            SessionLedger.Others others,
            HttpCalls http,
            Settings settings,
            DoubleSupplier now) {
        this.database = database;
        this.stores = stores;
        this.ledger = ledger;
        this.others = others;
        this.http = http;
        this.settings = settings;
        this.now = now;
    }

    /** Offers what is pending to nodes with room; does not wait for their answers. */
    void place() {
        double time = now.getAsDouble();
        // before the nodes: what is submitted after a node was drained must not meet it as it was before
        var pending = database.read(handle -> stores.sessions().pending(handle, time, BATCH));
        if (pending.isEmpty()) {
            return;
        }
        var candidates = candidates(time);
        for (var session : pending) {
            var chosen = NodeChoice.choose(candidates);
            if (chosen.isEmpty()) {
                return;
            }
            candidates.replaceAll(candidate -> candidate == chosen.get() ? candidate.withOneMore() : candidate);
            var node = chosen.get().node();
            if (database.change(change -> stores.sessions()
                    .offer(change.handle(), session.sessionId(), node.nodeId(), settings.owner(), now.getAsDouble()))) {
                others.background().start("dispatch-" + session.sessionId(), () -> send(session, node));
            }
        }
    }

    private List<Candidate> candidates(double time) {
        return database.read(handle -> {
            var out = stores.sessions().outByNode(handle);
            var candidates = new ArrayList<Candidate>();
            for (var node : stores.nodes().all(handle)) {
                if (node.alive(time) && !node.draining() && avoided.getOrDefault(node.nodeId(), 0.0) <= time) {
                    candidates.add(new Candidate(
                            node,
                            out.getOrDefault(node.nodeId(), 0),
                            stores.sessions().sentSince(handle, node.nodeId(), node.lastHeartbeat())));
                }
            }
            return candidates;
        });
    }

    private void send(SessionRow session, NodeRow node) {
        try {
            var task = database.read(handle -> stores.tasks().find(handle, session.taskId()));
            if (task.isEmpty()) {
                return;
            }
            var request = SessionLedger.request(task.get());
            offer(session, node, request, dispatch(session, task.get(), request));
        } catch (IllegalStateException unreadable) {
            ledger.failTask(session.taskId(), unreadable.getMessage());
        } catch (RuntimeException broken) {
            LOG.error("session {} could not be given to node {}", session.sessionId(), node.nodeId(), broken);
            takeBack(session, node, broken.toString());
        }
    }

    private void offer(SessionRow session, NodeRow node, TaskRequest request, SessionDispatch dispatch) {
        try {
            var answer = http.post(node.gatewayUrl() + "/sessions", dispatch);
            switch (answer.status()) {
                // 409: it has it, from an offer whose answer did not arrive
                case 200, 201, 202, 409 -> accepted(session, node, request);
                case 400, 413, 415, 422 ->
                    ledger.fail(
                            session.sessionId(), "node " + node.nodeId() + " refused the session: " + answer.detail());
                default -> takeBack(session, node, answer.detail());
            }
        } catch (ConnectException | NoRouteToHostException | UnknownHostException | ConnectTimeoutException neverSent) {
            takeBack(session, node, neverSent.toString());
        } catch (IOException unsure) {
            askAfterwards(session, node, request, unsure);
        }
    }

    private void askAfterwards(SessionRow session, NodeRow node, TaskRequest request, IOException unsure) {
        Answer answer;
        try {
            answer = http.get(node.gatewayUrl() + "/sessions/" + HttpCalls.segment(session.sessionId()));
        } catch (IOException unreachable) {
            // It may run there: its deadline, or the node's silence, decides.
            accepted(session, node, request);
            return;
        }
        if (answer.status() == 404) {
            takeBack(session, node, unsure.toString());
        } else {
            accepted(session, node, request);
        }
    }

    private void accepted(SessionRow session, NodeRow node, TaskRequest request) {
        double deadline = now.getAsDouble() + request.timeoutSeconds() + settings.graceSeconds();
        if (database.change(change -> stores.sessions().accept(change.handle(), session.sessionId(), deadline))) {
            others.announcements().sessionChanged(session, node.nodeId(), SessionStatus.REGISTERED);
        } else if (database.read(handle -> stores.sessions().find(handle, session.sessionId()))
                .filter(row -> row.place() != Place.FINISHED || SessionLedger.STOPPED_EARLY.equals(row.error()))
                .isPresent()) {
            // It was cancelled, stopped or given up while it was on its way.
            others.withdrawals().withdraw(session.sessionId(), node.nodeId());
        }
    }

    private void takeBack(SessionRow session, NodeRow node, String why) {
        LOG.debug("session {} was not taken by node {}: {}", session.sessionId(), node.nodeId(), why);
        double time = now.getAsDouble();
        avoided.put(node.nodeId(), time + 2);
        if (session.refusals() + 1 >= MOST_REFUSALS) {
            ledger.fail(
                    session.sessionId(),
                    "no node took the session in " + MOST_REFUSALS + " tries; the last, node " + node.nodeId()
                            + ", said: " + why);
            return;
        }
        double wait = Math.min(LONGEST_WAIT_SECONDS, 0.25 * (1L << Math.min(10, session.refusals())));
        database.change(change -> stores.sessions().takeBack(change.handle(), session.sessionId(), time + wait));
    }

    private SessionDispatch dispatch(SessionRow session, TaskRow task, TaskRequest request) {
        var seed = TaskMetadata.evalSamplingSeedBase(request.metadata());
        var agent = request.agent();
        var metadata = request.metadata();
        if (seed.isPresent()) {
            long own = seed.getAsLong() + session.sample();
            agent = seeded(agent, own);
            metadata = with(metadata, "eval_sampling_seed", own);
        }
        return new SessionDispatch(
                session.sessionId(),
                request.taskId(),
                request.instruction(),
                request.dispatchPriority(),
                request.timeoutSeconds(),
                session.sample(),
                session.attempt(),
                task.createdAt(),
                request.runtime(),
                agent,
                request.builder(),
                request.evaluator(),
                settings.callbackUrl(),
                metadata);
    }

    private static AgentSpec seeded(AgentSpec agent, long seed) {
        return new AgentSpec(
                agent.harness(),
                agent.importPath(),
                agent.modelName(),
                with(agent.settings(), "sampling_seed", seed),
                agent.env(),
                agent.mcpServers(),
                agent.skillsPath(),
                agent.customShell(),
                agent.sampling());
    }

    private static Map<String, Object> with(Map<String, Object> map, String key, Object value) {
        var more = new LinkedHashMap<>(map);
        more.put(key, value);
        return more;
    }
}
