package dev.polar.continuation;

import dev.polar.capture.RecordedAnswers;
import dev.polar.capture.SessionRecorder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/** The turns of one session, by the messages of their requests. Lives as long as its session's calls. Thread-safe; nothing waits under its lock. */
public final class SessionTurns {
    private final RecordedAnswers record;
    private final ReentrantLock lock = new ReentrantLock();
    private final Node root = new Node(null);
    private final List<Turn> turns = new ArrayList<>();
    /** Some answers are in the record and not here. */
    private boolean missed;

    /** @param recorder of the session; what is in it by now is not gone on from */
    public SessionTurns(SessionRecorder recorder) {
        this.record = recorder.answers();
        this.missed = recorder.completionCount() > 0;
    }

    RecordedAnswers record() {
        return record;
    }

    /**
     * The earlier turns that a request may go on from.
     *
     * @param candidates those whose messages and answer it begins with, longest history first, then those of which it has the ids of the calls, then latest
     * @param reason why the turn that shares most with it is none of these; null where it is, or there is none
     * @param none true where no turn is known
     * @param missed true where some answers are not known
     */
    record Found(List<Turn> candidates, Reason reason, boolean none, boolean missed) {}

    Found find(History request) {
        lock.lock();
        try {
            var path = new ArrayList<Node>();
            path.add(root);
            for (var message : request.messages()) {
                var next = path.getLast().next(message);
                if (next == null) {
                    break;
                }
                path.add(next);
            }
            var candidates = new ArrayList<Turn>();
            for (var node : path.reversed()) {
                var same = node.answers().stream()
                        .filter(turn -> turn.key().equals(key(request)))
                        .toList();
                // agents that do the same at the same time have the same history: the ids of the calls tell whose
                // answer comes back
                var byIds = same.stream()
                        .collect(Collectors.partitioningBy(
                                turn -> turn.callIds().equals(request.callIds().get(node.depth() - 1))));
                candidates.addAll(byIds.get(true));
                candidates.addAll(byIds.get(false));
            }
            var nearest = path.getLast().longest();
            var reason = nearest == null || candidates.contains(nearest) ? null : reason(request, path, nearest);
            return new Found(candidates, reason, turns.isEmpty(), missed);
        } finally {
            lock.unlock();
        }
    }

    private static Reason reason(History request, List<Node> path, Turn turn) {
        if (turn.messages() >= request.messages().size()) {
            return Reason.NOT_LONGER;
        }
        if (!turn.key().tools().equals(request.tools())) {
            return Reason.TOOLS_CHANGED;
        }
        if (!turn.key().template().equals(request.template())) {
            return Reason.TEMPLATE_CHANGED;
        }
        return path.contains(turn.asked()) ? Reason.ANSWER_EDITED : Reason.HISTORY_EDITED;
    }

    /** True where a turn that had gone on from {@code turn} has fewer messages than the request, and is not what it goes on from. */
    boolean laterFailed(Turn turn, History request) {
        lock.lock();
        try {
            return turns.stream()
                    .anyMatch(later -> later.messages() > turn.messages()
                            && later.messages() < request.messages().size()
                            && later.key().equals(turn.key())
                            && later.asked().isBehind(turn.answered()));
        } finally {
            lock.unlock();
        }
    }

    private static Turn.Key key(History request) {
        return new Turn.Key(request.tools(), request.template());
    }

    /**
     * Keeps a turn, if it is in the record: an answer of which no id had come is none.
     *
     * @param answer as the agent got it
     */
    void add(
            History request,
            Digest answer,
            List<String> callIds,
            String completionId,
            int prompt,
            int sampled,
            boolean judged,
            Turn.Joint joint) {
        if (!record.has(completionId)) {
            miss();
            return;
        }
        lock.lock();
        try {
            var asked = root;
            for (var message : request.messages()) {
                asked = asked.grow(message);
            }
            var answered = asked.grow(answer);
            var turn = new Turn(completionId, asked, answered, callIds, key(request), prompt, sampled, judged, joint);
            answered.add(turn);
            turns.add(turn);
        } finally {
            lock.unlock();
        }
    }

    /** An answer is in the record that is not kept here. */
    void miss() {
        lock.lock();
        try {
            missed = true;
        } finally {
            lock.unlock();
        }
    }
}
