package dev.polar.continuation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.capture.Detokenizer;
import dev.polar.inference.Cancellation;
import dev.polar.inference.IdVerdict;
import dev.polar.inference.InferenceClient;
import dev.polar.inference.Rendering;
import dev.polar.spi.EngineProfile;
import dev.polar.topology.NodeConfig;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says for each request of a node which ids it is to be answered from. Thread-safe. */
public final class ExactContinuation {
    private static final Logger LOG = LoggerFactory.getLogger(ExactContinuation.class);

    /** Turns of which the renderings are compared with one request's: what is older still is not tried, so that the cost stays linear in its ids. */
    private static final int TRIES = 8;

    private final NodeConfig.Inference config;
    private final InferenceClient client;
    private final Detokenizer detokenizer;
    private final Set<String> templateKeys;
    /** Ids that ended turns, by how often a session said so: for sessions that cannot tell yet. */
    private final Map<Integer, Integer> ends = new ConcurrentHashMap<>();

    /** @param detokenizer the engine's */
    public ExactContinuation(NodeConfig.Inference config, InferenceClient client, Detokenizer detokenizer) {
        this.config = config;
        this.client = client;
        this.detokenizer = detokenizer;
        this.templateKeys = client.profile()
                .continuation()
                .map(ExactContinuation::templateKeys)
                .orElse(Set.of());
    }

    /** A tool choice is not among them: which tools it lets into the prompt, the rendering shows. */
    private static Set<String> templateKeys(EngineProfile.IdInput ids) {
        var keys = new HashSet<>(ids.renderKeys());
        keys.addAll(ids.renderArguments());
        List.of("messages", "tools", "tool_choice").forEach(keys::remove);
        return Set.copyOf(keys);
    }

    private boolean configuredPlain() {
        return config.continuation() == NodeConfig.Continuation.PLAIN;
    }

    /** What is in force: {@code exact} unless it is configured otherwise, or no copy of the engine takes ids. */
    public NodeConfig.Continuation mode() {
        return configuredPlain() || !client.mayTakeIds()
                ? NodeConfig.Continuation.PLAIN
                : NodeConfig.Continuation.EXACT;
    }

    /** Whether it also goes on where the template leaves out the reasoning. */
    public boolean keep() {
        return config.continuationKeep();
    }

    /** Has each copy of the engine prove that it takes ids, and logs what is in force. Can wait for them. */
    public void announce() {
        if (configuredPlain()) {
            LOG.info("continuation: plain, as configured");
            return;
        }
        for (var backend : client.idBackends()) {
            switch (backend.verdict()) {
                case IdVerdict.Takes(var pointer) ->
                    LOG.info("continuation: exact: {} takes ids at {}", backend.url(), pointer);
                case IdVerdict.Not _ -> {} // warned of where it was proved
                case IdVerdict.Unknown(var why) ->
                    LOG.info("continuation: exact as soon as {} has proved that it takes ids: {}", backend.url(), why);
            }
        }
    }

    /**
     * Decides. Asks the engine for its rendering where an earlier turn may be gone on from, so it can wait.
     *
     * @param request a chat request, complete; not changed
     * @throws dev.polar.inference.EngineException of kind ABORTED where the call was cancelled
     */
    public Plan plan(SessionTurns turns, String sessionId, ObjectNode request, Cancellation cancellation) {
        if (mode() == NodeConfig.Continuation.PLAIN) {
            return Plan.none(null, configuredPlain() ? Reason.PLAIN : Reason.BACKEND, false);
        }
        if (History.hasImages(request)) {
            return Plan.none(null, Reason.IMAGES, false);
        }
        var history = History.of(request, templateKeys);
        var found = turns.find(history);
        if (found.none()) {
            return found.missed()
                    ? Plan.none(history, Reason.FORGOTTEN, true)
                    : new Plan(history, Made.FIRST, null, null, true);
        }
        if (found.candidates().isEmpty()) {
            return Plan.none(history, found.reason(), true);
        }
        return switch (client.render(sessionId, request, cancellation)) {
            case Rendering.NotAsked _ -> Plan.none(history, Reason.BACKEND, false);
            case Rendering.Failed _ -> Plan.none(history, Reason.NOT_RENDERED, false);
            case Rendering.Ids(var rendered) -> plan(turns, history, found, rendered, cancellation);
        };
    }

    private Plan plan(
            SessionTurns turns, History history, SessionTurns.Found found, int[] rendered, Cancellation cancellation) {
        var endOfTurn = endOfTurn(turns);
        if (endOfTurn.isEmpty()) {
            return Plan.none(history, Reason.NO_END_OF_TURN, false);
        }
        var splice = new Splice(turns.record(), detokenizer, config.continuationKeep(), endOfTurn.getAsInt(), rendered);
        Reason first = null;
        var left = new ArrayDeque<>(found.candidates());
        for (int tries = 0; tries < TRIES && !left.isEmpty(); tries++) {
            // each can wait for the engine to tell texts
            cancellation.check();
            var turn = left.poll();
            switch (splice.on(turn)) {
                case Splice.Fits fits -> {
                    boolean partial = turns.laterFailed(turn, history);
                    var why = first == null ? found.reason() : first;
                    return new Plan(history, partial ? Made.PARTIAL : Made.SPLICED, partial ? why : null, fits, true);
                }
                case Splice.Fails(var reason, var at) -> {
                    first = first == null ? reason : first;
                    drop(left, turn, at);
                }
            }
        }
        boolean edited = found.reason() != null && found.reason() != Reason.NOT_LONGER;
        return Plan.none(history, edited ? found.reason() : first, true);
    }

    /** Takes out what cannot hold where {@code failed} did not. */
    private static void drop(ArrayDeque<Turn> left, Turn failed, int shared) {
        if (shared >= 0) {
            // what it went on from is rendered as it is, up to where they join
            for (var turn = failed;
                    turn.joint() != null && shared < turn.joint().cut();
                    turn = turn.from()) {
                left.remove(turn.from());
            }
        } else if (failed.judged()) {
            // the request is rendered as that turn's was, so older turns fare now as they did then
            left.removeIf(turn -> turn.messages() < failed.messages() && turn != failed.from());
        }
    }

    private OptionalInt endOfTurn(SessionTurns turns) {
        var given = config.endOfTurnTokenId().isPresent()
                ? config.endOfTurnTokenId()
                : client.profile().endOfTurnTokenId();
        if (given.isPresent()) {
            return given;
        }
        var learned = turns.record().endOfTurn();
        return learned.isPresent()
                ? learned
                : ends.entrySet().stream()
                        .max(Map.Entry.comparingByValue(Comparator.naturalOrder()))
                        .map(most -> OptionalInt.of(most.getKey()))
                        .orElse(OptionalInt.empty());
    }

    /**
     * An answer is in the record: later requests may go on from it.
     *
     * @param plan as it was carried out
     * @param answer what the agent gets of it
     */
    public void answered(SessionTurns turns, Plan plan, Answered answer) {
        if (plan.history() == null || answer.promptIds() == null || answer.sampledIds() == null) {
            turns.miss();
            return;
        }
        turns.record().endOfTurn().ifPresent(id -> ends.merge(id, 1, Integer::sum));
        turns.add(
                plan.history(),
                History.answer(answer.text(), answer.calls()),
                History.ids(answer.calls()),
                answer.completionId(),
                answer.promptIds().length,
                answer.sampledIds().length,
                plan.judged(),
                plan.fits() == null ? null : plan.fits().joint());
    }
}
