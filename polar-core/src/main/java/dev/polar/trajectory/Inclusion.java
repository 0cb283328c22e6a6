package dev.polar.trajectory;

import dev.polar.capture.PrefixWalk;
import dev.polar.capture.Prompt;
import dev.polar.capture.RecordedCompletion;
import dev.polar.capture.SealedRecord;
import dev.polar.capture.TailClass;
import dev.polar.spi.BuiltTrajectory.Exclusion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Which completions take part in a build, and why the others do not. What the agent goes on from decides over what was seen of its delivery: an undelivered or auxiliary answer that a later
 * included prompt repeats as a whole turn, and that no included answer to its prompt explains as far, is included after all.
 */
final class Inclusion {
    static final String UNTRAINABLE = "untrainable:";
    static final String EMPTY = "empty";
    static final String UNDELIVERED = "undelivered";
    static final String ROLE = "role:";
    static final String SUPERSEDED = "superseded";

    private final SealedRecord record;
    /** By index; null where it is included. */
    private final String[] reasons;

    private final boolean[] byContinuation;

    /** Whoever goes on from an answer: a prompt, and the one in which the answer's turn ends (null where none ends). */
    private record Continuation(Prompt prompt, Prompt turn) {}

    private Inclusion(SealedRecord record) {
        this.record = record;
        this.reasons = new String[record.completions().size()];
        this.byContinuation = new boolean[reasons.length];
    }

    /**
     * @param roles that are included
     * @param undelivered true where undelivered answers are included
     */
    static Inclusion decide(SealedRecord record, Collection<String> roles, boolean undelivered) {
        var inclusion = new Inclusion(record);
        for (var completion : record.completions()) {
            inclusion.reasons[completion.index()] = reason(completion, roles, undelivered);
        }
        inclusion.includeContinued();
        return inclusion;
    }

    private static String reason(RecordedCompletion completion, Collection<String> roles, boolean undelivered) {
        if (completion.untrainable().isPresent()) {
            return UNTRAINABLE + completion.untrainable().get();
        }
        if (completion.responseLength() == 0) {
            return EMPTY;
        }
        if (!completion.delivered() && !undelivered) {
            return UNDELIVERED;
        }
        return roles.contains(completion.role()) ? null : ROLE + completion.role();
    }

    boolean includes(RecordedCompletion completion) {
        return reasons[completion.index()] == null;
    }

    boolean byContinuation(RecordedCompletion completion) {
        return byContinuation[completion.index()];
    }

    /** Leaves an included completion out. */
    void leaveOut(RecordedCompletion completion, String reason) {
        reasons[completion.index()] = reason;
    }

    List<RecordedCompletion> included() {
        return record.completions().stream().filter(this::includes).toList();
    }

    List<Exclusion> exclusions() {
        return record.completions().stream()
                .filter(completion -> !includes(completion))
                .map(completion -> new Exclusion(completion.id(), reasons[completion.index()]))
                .toList();
    }

    /** How many were left out for a reason that starts so. */
    long count(String start) {
        return Arrays.stream(reasons)
                .filter(Objects::nonNull)
                .filter(reason -> reason.startsWith(start))
                .count();
    }

    private boolean canContinue(RecordedCompletion completion) {
        var reason = reasons[completion.index()];
        return reason != null && (reason.equals(UNDELIVERED) || reason.startsWith(ROLE));
    }

    /** From the last completion to the first: those behind one are decided when its turn comes. */
    private void includeContinued() {
        long open = record.completions().stream().filter(this::canContinue).count();
        var continuations = new ArrayList<Map<Prompt, Continuation>>();
        record.completions().forEach(completion -> continuations.add(new LinkedHashMap<>(0)));
        for (int index = reasons.length - 1; index >= 0 && open > 0; index--) {
            var completion = record.completions().get(index);
            if (canContinue(completion)) {
                open--;
                if (continuations.get(index).values().stream().anyMatch(later -> onlyExplains(completion, later))) {
                    reasons[index] = null;
                    byContinuation[index] = true;
                }
            }
            if (includes(completion) && open > 0) {
                noteContinued(completion, continuations);
            }
        }
    }

    /** Tells each earlier candidate that {@code later}'s prompt repeats it as a whole turn. */
    private void noteContinued(RecordedCompletion later, List<Map<Prompt, Continuation>> continuations) {
        var walk = new PrefixWalk(later.prompt());
        while (walk.up()) {
            for (var answer : walk.prompt().completions()) {
                if (answer.index() < later.index()
                        && canContinue(answer)
                        && answer.agent().equals(later.agent())
                        && answer.isContinuedBy(later.prompt())
                        && isWholeTurn(answer, later)) {
                    var found = new Continuation(later.prompt(), walk.turn());
                    continuations.get(answer.index()).putIfAbsent(place(answer, found), found);
                }
            }
        }
    }

    /** Prompts in which the same turn ends go on alike; where an answer reaches beyond it, or no turn ends, each prompt is looked at by itself. */
    private static Prompt place(RecordedCompletion answer, Continuation found) {
        boolean beyond = found.turn == null
                || answer.prompt().completions().stream()
                        .anyMatch(other -> other.promptLength() + other.responseLength() > found.turn.length());
        return beyond ? found.prompt : found.turn;
    }

    private boolean isWholeTurn(RecordedCompletion answer, RecordedCompletion later) {
        if (answer.endsWithStopId()) {
            return true;
        }
        int next = answer.promptLength() + answer.responseLength();
        var endOfTurn = record.endOfTurnTokenId();
        return endOfTurn.isPresent()
                && next < later.promptLength()
                && later.promptIds(next, next + 1)[0] == endOfTurn.getAsInt();
    }

    /** True where no included answer to the same prompt explains the later prompt at least as far. */
    private boolean onlyExplains(RecordedCompletion answer, Continuation later) {
        return answer.prompt().completions().stream()
                .filter(other ->
                        other != answer && includes(other) && other.agent().equals(answer.agent()))
                .noneMatch(other -> explains(other, later) >= answer.responseLength());
    }

    private static int explains(RecordedCompletion answer, Continuation later) {
        var tail = PrefixWalk.tail(answer, later.prompt, later.turn);
        return tail == TailClass.REWRITTEN ? -1 : PrefixWalk.explained(answer, tail, later.turn);
    }
}
