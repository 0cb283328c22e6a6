package dev.polar.gateway;

import dev.polar.capture.StoredImage;
import dev.polar.gateway.SessionException.Kind;
import dev.polar.gateway.SessionStopped.Reason;
import dev.polar.plugin.PluginRegistry;
import dev.polar.proxy.AgentSession;
import dev.polar.spi.NodeStageMetrics;
import dev.polar.spi.SessionDispatch;
import dev.polar.spi.SessionResult;
import dev.polar.spi.SessionStatus;
import dev.polar.wire.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node's sessions: takes them, runs each on a virtual thread, reports what came of it. Thread-safe. */
final class GatewayNode {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayNode.class);

    private static final Duration TIDY_LIMIT = Duration.ofSeconds(60);

    private final NodeParts parts;
    private final ResultSpool spool;
    private final ResultSender sender;
    private final Session.Listener listener;
    private final BareSessions bare;
    private final ChainBreaks chainBreaks = new ChainBreaks();
    private final ContinuationCounts continuations = new ContinuationCounts();
    private final Map<String, Session> sessions = new ConcurrentHashMap<>();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private volatile boolean stopping;

    /** @param sender sends results; closed with the node */
    GatewayNode(NodeParts parts, ResultSpool spool, ResultSender sender, Session.Listener listener) {
        this.parts = parts;
        this.spool = spool;
        this.sender = sender;
        this.listener = listener;
        this.bare = new BareSessions(parts);
    }

    /** Removes what an earlier process left running, reports what it left unfinished, and sends what it left unsent. */
    void recover() {
        new Leftovers(parts).remove();
        // Before the sessions that were cut off are reported: those are on their way already.
        var pending = pending();
        for (var folder : parts.folder().sessions()) {
            try {
                recover(folder);
            } catch (IOException | RuntimeException unreadable) {
                LOG.warn("the session in {} cannot be recovered: {}", folder.root(), Messages.of(unreadable));
            }
        }
        pending.forEach(sender::send);
    }

    private List<Path> pending() {
        try {
            return spool.pending();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(
                    "the spool " + parts.folder().spool() + " cannot be read: " + Messages.of(unreadable), unreadable);
        }
    }

    private void recover(SessionFolder folder) throws IOException {
        var manifest = folder.read();
        if (manifest.isEmpty()) {
            // Its making was cut off before anybody was told of it.
            folder.delete();
            return;
        }
        var id = manifest.get().sessionId();
        var result = spool.find(id);
        if (result.isPresent()) {
            var ended = ResultHead.read(result.get());
            var session = new Session(manifest.get(), ended.status(), ended.error(), listener);
            session.completions(ended::completions);
            sessions.put(id, session);
            folder.settle();
        } else if (manifest.get().bare()) {
            sessions.put(id, bare.recover(manifest.get(), listener));
        } else {
            var session = new Session(manifest.get(), SessionStatus.REGISTERED, null, listener);
            sessions.put(id, session);
            report(
                    session,
                    UnfinishedResults.interrupted(manifest.get(), parts.config().id()));
        }
    }

    /**
     * Takes a session; it is known on the disk when this returns.
     *
     * @throws SessionException where its id is known, or the node stops
     */
    Session dispatch(SessionDispatch dispatch) {
        var manifest = SessionManifest.of(dispatch, now());
        var session = register(manifest, new Session(manifest, SessionStatus.REGISTERED, null, listener));
        var thread = Thread.ofVirtual().name("session-" + session.id()).unstarted(() -> {
            try {
                var result = run(dispatch, session);
                count(dispatch.agent().name(), result);
                report(session, result);
            } finally {
                threads.remove(Thread.currentThread());
            }
        });
        threads.add(thread);
        thread.start();
        if (stopping) {
            session.stop().cancel(Reason.NODE_STOPPED);
        }
        return session;
    }

    /** Whatever goes wrong in a session, it has a result. */
    private SessionResult run(SessionDispatch dispatch, Session session) {
        try {
            return new AgentRun(parts, dispatch, session).run();
        } catch (RuntimeException | Error unexpected) {
            LOG.error("session {} was lost", session.id(), unexpected);
            return UnfinishedResults.lost(
                    session.manifest(), parts.config().id(), "internal error: " + Messages.of(unexpected));
        }
    }

    private Session register(SessionManifest manifest, Session session) {
        if (stopping) {
            throw new SessionException(Kind.STOPPING, "node '" + parts.config().id() + "' is stopping");
        }
        if (sessions.putIfAbsent(session.id(), session) != null) {
            throw new SessionException(Kind.KNOWN, "session " + session.id() + " is known already");
        }
        try {
            parts.folder().session(session.id()).create(manifest);
            return session;
        } catch (IOException full) {
            sessions.remove(session.id());
            throw new UncheckedIOException(
                    "session " + session.id() + " cannot be kept on the disk: " + Messages.of(full), full);
        }
    }

    /** Registers a session of an outside agent, whose id is its key. */
    Session open(String sessionId, String taskId) {
        var manifest = BareSessions.manifest(sessionId, taskId, now());
        var session = register(manifest, new Session(manifest, SessionStatus.RUNNING, null, listener));
        try {
            bare.open(session);
            return session;
        } catch (IllegalStateException recorded) {
            sessions.remove(session.id());
            throw new SessionException(Kind.KNOWN, "there is a record of session " + session.id() + " already");
        }
    }

    /** The open session of a caller whom no session knows: one for each key, and a new one for each call without. */
    AgentSession stranger(String key) {
        return bare.stranger(key, () -> open("sk-polar-" + UUID.randomUUID(), null));
    }

    /** Ends a bare session and scores it. */
    SessionResult finish(String sessionId, FinishRequest request) {
        var session = known(sessionId);
        if (!session.manifest().bare()) {
            throw new SessionException(
                    Kind.UNFIT, "session " + sessionId + " was dispatched: only bare sessions are finished by a call");
        }
        var result = bare.finish(session, request);
        count(ChainBreaks.OUTSIDE, result);
        report(session, result);
        return result;
    }

    private void count(String harness, SessionResult result) {
        chainBreaks.add(harness, result);
        continuations.add(harness, result);
    }

    /** The result is on the disk before anyone is told of it; a dispatched session's is then sent. */
    private void report(Session session, SessionResult result) {
        CleanUp.run(
                "tidying the folder of session " + session.id(),
                TIDY_LIMIT,
                () -> parts.folder().session(session.id()).settle());
        var written = write(result);
        parts.records().unload(session.id());
        session.ended(written.status(), written.error());
        if (session.manifest().bare()) {
            file(session);
        } else {
            send(session, written);
        }
    }

    /** Spools the result; where the disk does not take it, a short one that says so. */
    private SessionResult write(SessionResult result) {
        try {
            spool.write(result);
            return result;
        } catch (IOException unwritable) {
            LOG.error("the result of session {} cannot be written", result.sessionId(), unwritable);
            var told = UnfinishedResults.unwritten(result, Messages.of(unwritable));
            try {
                spool.write(told);
            } catch (IOException full) {
                LOG.error("nor can a short one: it is kept in memory until it is sent");
            }
            return told;
        }
    }

    private void send(Session session, SessionResult written) {
        var pending = spool.pending(session.id());
        if (Files.exists(pending)) {
            sender.send(pending);
        } else {
            sender.send(session.id(), UnfinishedResults.json(written));
        }
    }

    private void file(Session session) {
        try {
            spool.acknowledged(spool.pending(session.id()));
        } catch (IOException unwritable) {
            LOG.error("the result of session {} stays in the spool: {}", session.id(), Messages.of(unwritable));
        }
    }

    /** @throws SessionException where there is none */
    Session known(String sessionId) {
        return find(sessionId).orElseThrow(() -> new SessionException(Kind.UNKNOWN, "no session " + sessionId));
    }

    Optional<Session> find(String sessionId) {
        return Optional.ofNullable(sessions.get(sessionId));
    }

    Collection<Session> sessions() {
        return List.copyOf(sessions.values());
    }

    /** A session's result, to be read and closed by the caller, where it has ended. */
    Optional<InputStream> result(String sessionId) throws IOException {
        return known(sessionId).status().terminal() ? spool.open(sessionId) : Optional.empty();
    }

    /**
     * Cancels a dispatched session, at once and without waiting; removes a bare one with its record.
     *
     * @return completions that were removed
     */
    int delete(String sessionId) {
        var session = known(sessionId);
        if (!session.manifest().bare()) {
            session.stop().cancel(Reason.CANCELLED);
            return 0;
        }
        int removed = bare.delete(session);
        session.ended(SessionStatus.ERROR, AgentRun.CANCELLED);
        sessions.remove(sessionId);
        return removed;
    }

    /** Writes what a session has recorded, {@code {session_id, node_id, completions}}; does not close {@code out}. */
    void writeCompletions(String sessionId, OutputStream out) throws IOException {
        var session = known(sessionId);
        var record = parts.records().find(sessionId);
        if (record.isEmpty()) {
            out.write(Json.MAPPER.writeValueAsBytes(
                    Map.of("session_id", sessionId, "node_id", parts.config().id(), "completions", List.of())));
            return;
        }
        record.get().writeCompletions(parts.config().id(), out);
        if (session.status().terminal()) {
            parts.records().release(sessionId);
        }
    }

    /**
     * A picture that a prompt of a session shows.
     *
     * @param digest as the record names it, {@code sha256:} and 64 hexadecimal digits
     * @throws SessionException where there is no such session or picture
     */
    StoredImage image(String sessionId, String digest) {
        var session = known(sessionId);
        var found = parts.records().find(sessionId).flatMap(record -> record.image(digest));
        if (session.status().terminal()) {
            parts.records().release(sessionId);
        }
        return found.orElseThrow(
                () -> new SessionException(
                        Kind.UNKNOWN,
                        "session " + sessionId + " has no image " + digest
                                + (digest.startsWith("sha256:")
                                        ? ": metadata.images of its traces and completions names those it has"
                                        : ": only pictures that were sent as data are kept, under sha256:<64 hexadecimal digits>")));
    }

    /** Results that the rollout server has not acknowledged. */
    int unsent() {
        return sender.pending();
    }

    /** How often and why chains broke, by harness. */
    Map<String, Object> chainBreaks() {
        return chainBreaks.json();
    }

    /** How turns go on from earlier ones: what is in force, and how it went, in total and by harness. */
    Map<String, Object> continuation() {
        var json = new LinkedHashMap<>(parts.continuation().get());
        json.putAll(continuations.json());
        return json;
    }

    NodeStageMetrics metrics() {
        return parts.stages().metrics();
    }

    /** How many sessions that have not ended are in each status. */
    Map<SessionStatus, Integer> active() {
        var counts = new EnumMap<SessionStatus, Integer>(SessionStatus.class);
        for (var session : sessions.values()) {
            var status = session.status();
            if (!status.terminal()) {
                counts.merge(status, 1, Integer::sum);
            }
        }
        return counts;
    }

    /** Forgets sessions that ended so long ago, with their folders; their records go by their own age. */
    void retain(Duration age) {
        double before = now() - age.toSeconds();
        for (var session : sessions.values()) {
            if (session.status().terminal() && session.manifest().createdAt() < before) {
                forget(session);
            }
        }
        parts.records().retain(age);
    }

    private void forget(Session session) {
        try {
            var pending = spool.find(session.id());
            if (pending.isEmpty()
                    || !pending.get().getParent().equals(parts.folder().spool())) {
                parts.folder().session(session.id()).delete();
                sessions.remove(session.id());
            }
        } catch (IOException busy) {
            LOG.warn("the folder of session {} cannot be removed: {}", session.id(), Messages.of(busy));
        }
    }

    /** Cancels all sessions, waits until their runtimes are gone and their results are on the disk, and gives what was not sent a moment. */
    void stop(Duration limit, Duration sendLimit) {
        stopping = true;
        sessions.values().stream()
                .filter(session -> !session.manifest().bare())
                .forEach(session -> session.stop().cancel(Reason.NODE_STOPPED));
        CleanUp.run("ending all sessions", limit, () -> {
            for (var thread : threads) {
                thread.join();
            }
        });
        bare.close();
        CleanUp.run("sending the last results", sendLimit.plusSeconds(1), () -> sender.drain(sendLimit));
        sender.close();
    }

    PluginRegistry plugins() {
        return parts.plugins();
    }

    private static double now() {
        return System.currentTimeMillis() / 1000.0;
    }
}
