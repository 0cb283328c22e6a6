package dev.polar.rollout;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.spi.SessionStatus;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Follows what nodes do with their sessions, and notices what will never end: a silent node, a session that its node does not know, one that is over its time. Thread-safe. */
final class NodeWatch {
    private static final Logger LOG = LoggerFactory.getLogger(NodeWatch.class);
    /** A node that cannot be asked is asked again so soon; one that has a result which does not come is given so long. */
    private static final double AGAIN_SECONDS = 10;

    private final Database database;
    private final Stores stores;
    private final SessionLedger ledger;
    private final Announcements announcements;
    private final HttpCalls http;
    private final Background background;
    private final double graceSeconds;
    private final DoubleSupplier now;
    private final Set<String> beingAsked = ConcurrentHashMap.newKeySet();

    /**
     * @param graceSeconds an attempt is lost that long after its budget has ended
     * @param now epoch seconds
     */
    NodeWatch(
            Database database,
            Stores stores,
            SessionLedger ledger,
            Announcements announcements,
            HttpCalls http,
            Background background,
            double graceSeconds,
            DoubleSupplier now) {
        this.database = database;
        this.stores = stores;
        this.ledger = ledger;
        this.announcements = announcements;
        this.http = http;
        this.background = background;
        this.graceSeconds = graceSeconds;
        this.now = now;
    }

    /** Gives the sessions of nodes whose heartbeats stopped to others. */
    void checkNodes() {
        double time = now.getAsDouble();
        for (var node : database.read(stores.nodes()::all)) {
            if (!node.alive(time)
                    && !node.stale()
                    && database.change(change -> stores.nodes().markStale(change.handle(), node.nodeId()))) {
                LOG.warn(
                        "node {} is stale: no heartbeat for {} s",
                        node.nodeId(),
                        Math.round(time - node.lastHeartbeat()));
                for (var session : database.read(handle -> stores.sessions().outAt(handle, node.nodeId()))) {
                    ledger.lost(session, "node " + node.nodeId() + " stopped its heartbeats");
                }
            }
        }
    }

    /** Asks, in the background, about sessions whose result is overdue. */
    void checkOverdue() {
        double time = now.getAsDouble();
        for (var session : database.read(handle -> stores.sessions().overdue(handle, time))) {
            ask(session);
        }
    }

    /** Asks, in the background, each node about the sessions that it should have, and passes on what has changed. */
    void follow() {
        var sessions = database.read(stores.sessions()::out).stream()
                .filter(session -> session.place() == Place.PLACED)
                .collect(Collectors.groupingBy(SessionRow::nodeId));
        sessions.forEach((nodeId, placed) -> inBackground("node:" + nodeId, () -> follow(nodeId, placed)));
    }

    /** After a restart of this server or of a node: asks about all that it may have. */
    void recheck(Optional<String> onlyNode) {
        var sessions = database.read(handle -> onlyNode.isPresent()
                ? stores.sessions().outAt(handle, onlyNode.get())
                : stores.sessions().out(handle));
        sessions.forEach(this::ask);
    }

    private void ask(SessionRow session) {
        inBackground("session:" + session.sessionId(), () -> {
            var node = database.read(handle -> stores.nodes().find(handle, session.nodeId()));
            if (node.isEmpty()) {
                ledger.lost(session, "node " + session.nodeId() + " is not registered any more");
            } else {
                ask(session, node.get());
            }
        });
    }

    private void ask(SessionRow session, NodeRow node) {
        HttpCalls.Answer answer;
        try {
            answer = http.get(node.gatewayUrl() + "/sessions/" + HttpCalls.segment(session.sessionId()));
        } catch (IOException unreachable) {
            LOG.debug("node {} cannot be asked about session {}", node.nodeId(), session.sessionId(), unreachable);
            postpone(session, null, now.getAsDouble() + AGAIN_SECONDS);
            return;
        }
        if (answer.status() == 404) {
            unknownThere(session, node);
        } else if (answer.ok()) {
            known(session, node, answer.body());
        } else {
            postpone(session, null, now.getAsDouble() + AGAIN_SECONDS);
        }
    }

    private void unknownThere(SessionRow session, NodeRow node) {
        if (session.place() == Place.SENDING) {
            // It never arrived: the same attempt is given again.
            database.change(change -> stores.sessions().takeBack(change.handle(), session.sessionId(), 0));
        } else {
            ledger.lost(session, "node " + node.nodeId() + " does not know it");
        }
    }

    private void known(SessionRow session, NodeRow node, JsonNode answer) {
        double time = now.getAsDouble();
        double budget = budget(session);
        if (session.place() == Place.SENDING) {
            database.change(change -> stores.sessions().accept(change.handle(), session.sessionId(), time + budget));
        }
        update(session, answer);
        boolean waits = "REGISTERED".equals(answer.path("status").asText());
        boolean overdue = session.deadline() != null && session.deadline() < time;
        if (!overdue) {
            return;
        }
        var initAt = initAt(session, answer, time);
        double deadline = waits ? time + budget : initAt + budget;
        if (deadline > time) {
            postpone(session, waits ? null : initAt, deadline);
        } else {
            ledger.lost(
                    session,
                    "no result " + Math.round(graceSeconds) + " s after its budget ended on node " + node.nodeId());
        }
    }

    private double budget(SessionRow session) {
        return database.read(handle -> stores.tasks().find(handle, session.taskId()))
                        .map(TaskRow::timeoutSeconds)
                        .orElse(0.0)
                + graceSeconds;
    }

    /** Where nobody saw it enter INIT, its time runs from now. */
    private static double initAt(SessionRow session, JsonNode answer, double time) {
        if (session.initAt() != null) {
            return session.initAt();
        }
        return answer.path("init_at").isNumber() ? answer.get("init_at").asDouble() : time;
    }

    private void postpone(SessionRow session, Double initAt, double deadline) {
        database.change(change -> {
            stores.sessions().postpone(change.handle(), session.sessionId(), initAt, deadline);
            return null;
        });
    }

    private void follow(String nodeId, List<SessionRow> placed) {
        var node = database.read(handle -> stores.nodes().find(handle, nodeId));
        if (node.isEmpty()) {
            placed.forEach(session -> ledger.lost(session, "node " + nodeId + " is not registered any more"));
            return;
        }
        try {
            var answer = http.get(node.get().gatewayUrl() + "/sessions");
            if (answer.ok() && answer.body() != null) {
                Map<String, SessionRow> byId =
                        placed.stream().collect(Collectors.toMap(SessionRow::sessionId, Function.identity()));
                for (var view : answer.body().path("sessions")) {
                    Optional.ofNullable(byId.get(view.path("session_id").asText()))
                            .ifPresent(session -> update(session, view));
                }
            }
        } catch (IOException unreachable) {
            LOG.debug("node {} cannot be asked about its sessions", nodeId, unreachable);
        }
    }

    /** Terminal words are left to the result that says why. */
    private void update(SessionRow session, JsonNode view) {
        for (var status : SessionStatus.values()) {
            if (status.name().equals(view.path("status").asText())
                    && !status.terminal()
                    && status != session.status()) {
                moved(session, status);
            }
        }
    }

    private void moved(SessionRow session, SessionStatus status) {
        if (!database.change(change -> stores.sessions().progress(change.handle(), session.sessionId(), status))) {
            return;
        }
        announcements.sessionChanged(session, session.nodeId(), status);
        if (status != SessionStatus.REGISTERED && session.initAt() == null) {
            double time = now.getAsDouble();
            postpone(session, time, time + budget(session));
        }
    }

    /** One question at a time about the same thing. */
    private void inBackground(String subject, Runnable question) {
        if (beingAsked.add(subject)) {
            background.start("ask-" + subject, () -> {
                try {
                    question.run();
                } finally {
                    beingAsked.remove(subject);
                }
            });
        }
    }
}
