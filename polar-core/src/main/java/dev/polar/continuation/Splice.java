package dev.polar.continuation;

import dev.polar.capture.Detokenizer;
import dev.polar.capture.RecordedAnswers;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Tries to have one request go on from earlier turns: by its rendering, with the rules of the package. For one request; asks the engine for texts, so it can wait. */
final class Splice {
    private final RecordedAnswers record;
    private final Detokenizer detokenizer;
    private final boolean keep;
    private final int endOfTurn;
    private final int[] rendered;

    /**
     * @param keep whether it also goes on where the template leaves out the reasoning
     * @param endOfTurn the id that ends a turn
     * @param rendered the request's ids
     */
    Splice(RecordedAnswers record, Detokenizer detokenizer, boolean keep, int endOfTurn, int[] rendered) {
        this.record = record;
        this.detokenizer = detokenizer;
        this.keep = keep;
        this.endOfTurn = endOfTurn;
        this.rendered = rendered;
    }

    /** What came of a try. */
    sealed interface Try {}

    /** @param prompt what the engine is to answer from */
    record Fits(Turn turn, int[] prompt, Turn.Joint joint, TextClass text) implements Try {}

    /** @param at how many ids the renderings share, where that is the reason; else -1 */
    record Fails(Reason reason, int at) implements Try {}

    Try on(Turn turn) {
        var before = rendering(turn);
        int cut = lastEnd(before) + 1;
        int least = Math.min(cut, rendered.length);
        int differs = Arrays.mismatch(before, 0, cut, rendered, 0, least);
        if (differs >= 0) {
            return new Fails(Reason.RENDERED_ANEW, differs);
        }
        // as many turns have ended before it as in the rendering then: the next end is the answer's
        int at = nextEnd(cut);
        if (at < 0) {
            return new Fails(Reason.NO_END_OF_TURN, -1);
        }
        var sampled = record.sampledIds(turn.completionId());
        boolean ended = ends(turn, sampled);
        var told = concat(before, cut, before.length, sampled, 0, ended ? sampled.length - 1 : sampled.length);
        var shown = Arrays.copyOfRange(rendered, cut, at);
        var text = Arrays.equals(told, shown) ? TextClass.SAME_IDS : null;
        if (text == null) {
            switch (compared(turn, shown, told)) {
                case Texts.Same(var same) -> text = same;
                case Texts.Other(var reason) -> {
                    return new Fails(reason, -1);
                }
            }
        }
        int resume = ended ? at + 1 : at;
        return new Fits(turn, prompt(turn, sampled, resume), joint(turn, before, sampled, cut, resume), text);
    }

    private boolean ends(Turn turn, int[] sampled) {
        return sampled.length > 0
                && (sampled[sampled.length - 1] == endOfTurn || record.endsWithStopId(turn.completionId()));
    }

    private int lastEnd(int[] ids) {
        int at = ids.length - 1;
        while (at >= 0 && ids[at] != endOfTurn) {
            at--;
        }
        return at;
    }

    private int nextEnd(int from) {
        for (int at = from; at < rendered.length; at++) {
            if (rendered[at] == endOfTurn) {
                return at;
            }
        }
        return -1;
    }

    private int[] prompt(Turn turn, int[] sampled, int resume) {
        var used = record.promptIds(turn.completionId(), 0, turn.promptLength());
        int known = used.length + sampled.length;
        var prompt = Arrays.copyOf(used, known + rendered.length - resume);
        System.arraycopy(sampled, 0, prompt, used.length, sampled.length);
        System.arraycopy(rendered, resume, prompt, known, rendered.length - resume);
        return prompt;
    }

    private Turn.Joint joint(Turn turn, int[] before, int[] sampled, int cut, int resume) {
        var usual = concat(before, cut, before.length, sampled, 0, sampled.length);
        boolean replaced = !Arrays.equals(usual, 0, usual.length, rendered, cut, resume);
        return new Turn.Joint(turn, cut, replaced ? Arrays.copyOfRange(rendered, cut, resume) : null, resume);
    }

    /** What a turn's request was rendered to. Each turn before it adds only what it brought, so that the whole is written once. */
    private int[] rendering(Turn turn) {
        var line = new ArrayDeque<Turn>();
        for (var at = turn; at != null; at = at.from()) {
            line.push(at);
        }
        var first = line.pop();
        var ids = new Growing(record.promptIds(first.completionId(), 0, first.promptLength()));
        for (var next : line) {
            var joint = next.joint();
            var from = joint.from();
            if (joint.piece() == null) {
                ids.append(record.sampledIds(from.completionId()));
            } else {
                ids.cut(joint.cut());
                ids.append(joint.piece());
            }
            int known = from.promptLength() + from.sampledLength();
            ids.append(record.promptIds(next.completionId(), known, next.promptLength()));
        }
        return ids.toArray();
    }

    /** Ids that are cut and appended to. */
    private static final class Growing {
        private int[] ids;
        private int size;

        private Growing(int[] ids) {
            this.ids = ids;
            this.size = ids.length;
        }

        private void cut(int length) {
            size = length;
        }

        private void append(int[] more) {
            if (size + more.length > ids.length) {
                ids = Arrays.copyOf(ids, Math.max(2 * ids.length, size + more.length));
            }
            System.arraycopy(more, 0, ids, size, more.length);
            size += more.length;
        }

        private int[] toArray() {
            return size == ids.length ? ids : Arrays.copyOf(ids, size);
        }
    }

    private static int[] concat(int[] one, int from, int to, int[] other, int otherFrom, int otherTo) {
        var both = Arrays.copyOfRange(one, from, to + otherTo - otherFrom);
        System.arraycopy(other, otherFrom, both, to - from, otherTo - otherFrom);
        return both;
    }

    /** How two texts compare. */
    private sealed interface Texts {
        record Same(TextClass text) implements Texts {}

        record Other(Reason reason) implements Texts {}
    }

    private Texts compared(Turn turn, int[] shown, int[] told) {
        var texts = texts(List.of(shown, told));
        if (texts.isEmpty()) {
            return new Texts.Other(Reason.NO_TEXTS);
        }
        var found = TextClass.of(texts.getFirst(), texts.getLast(), () -> reasoning(turn));
        if (found.isEmpty()) {
            return new Texts.Other(Reason.OTHER_TEXT);
        }
        return found.get() == TextClass.REASONING_DROPPED && !keep
                ? new Texts.Other(Reason.REASONING_DROPPED)
                : new Texts.Same(found.get());
    }

    private String reasoning(Turn turn) {
        var message = record.message(turn.completionId());
        return Stream.of("reasoning", "reasoning_content")
                .map(message::get)
                .filter(String.class::isInstance)
                .map(String.class::cast)
                .findFirst()
                .orElse("");
    }

    /** The engine's, where it tells them, else those seen in answers; empty where neither says. */
    private List<String> texts(List<int[]> sequences) {
        var told = detokenizer.texts(
                sequences.stream().filter(ids -> ids.length > 0).toList());
        if (told.isPresent()) {
            var next = told.get().iterator();
            return sequences.stream()
                    .map(ids -> ids.length > 0 ? next.next() : "")
                    .toList();
        }
        var seen = sequences.stream().map(record::seenText).toList();
        return seen.stream().allMatch(Optional::isPresent)
                ? seen.stream().map(Optional::orElseThrow).toList()
                : List.of();
    }
}
