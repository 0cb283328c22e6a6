package dev.polar.cli;

import dev.polar.cli.RecordedCall.Tail;
import dev.polar.sim.SimTokenizer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Holds a record against itself: each id once, in order of arrival, and nothing said of a completion that its own numbers do not say. */
final class RecordCheck {
    private final List<RecordedCall> calls;
    private final List<String> problems;

    RecordCheck(List<RecordedCall> calls, List<String> problems) {
        this.calls = calls;
        this.problems = problems;
    }

    /**
     * @param simulated whether the simulator was the engine: then log-probabilities are proved from the ids, and what is the same text by its tokenizer
     * @param endOfTurn the id that was in force, or null
     */
    void run(boolean simulated, Integer endOfTurn) {
        var byId = new HashMap<String, RecordedCall>();
        long sequence = Long.MIN_VALUE;
        for (var call : calls) {
            if (byId.put(call.id(), call) != null) {
                problems.add("completion " + call.id() + " is twice in the record");
            }
            long next = call.json().at("/metadata/sequence").asLong();
            if (next < sequence) {
                problems.add(
                        "completion " + call.id() + " has the sequence " + next + ", the one before it " + sequence);
            }
            sequence = next;
            trainable(call);
            if (simulated && call.untrainable() == null && !call.isEmpty()) {
                simulated(call);
            }
        }
        calls.forEach(call -> tails(call, byId));
        if (simulated && endOfTurn != null) {
            calls.forEach(call -> texts(call, endOfTurn));
        }
    }

    private void trainable(RecordedCall call) {
        if (!Objects.equals(call.untrainable(), call.saidUntrainable())) {
            problems.add("completion " + call.id() + ": its record says untrainable " + call.saidUntrainable()
                    + ", its numbers " + call.untrainable());
        }
    }

    private void simulated(RecordedCall call) {
        if (!Arrays.equals(call.logprobs(), SimulatedLogprobs.of(call.prompt(), call.sampled()))) {
            problems.add("completion " + call.id() + ": its log-probabilities are not those of its ids");
        }
    }

    private void tails(RecordedCall call, Map<String, RecordedCall> byId) {
        for (var id : call.retokenized()) {
            var earlier = byId.get(id);
            boolean possible = earlier != null
                    && !earlier.isEmpty()
                    && earlier.sameAgent(call)
                    && earlier.isPrefixOf(call)
                    && earlier.tail(call) != Tail.EXACT;
            if (!possible) {
                problems.add("completion " + call.id() + ": its record says that its prompt holds completion " + id
                        + " in other tokens, and it does not");
            }
        }
    }

    private void texts(RecordedCall call, int endOfTurn) {
        for (var earlier : calls) {
            if (!earlier.isEmpty() && earlier.sameAgent(call) && earlier.isPrefixOf(call)) {
                boolean same = isSameText(earlier, call, endOfTurn);
                if (same != call.retokenized().contains(earlier.id())) {
                    problems.add("completion " + call.id() + ": its prompt " + (same ? "holds" : "does not hold")
                            + " completion " + earlier.id() + " in other tokens, and its record says otherwise");
                }
            }
        }
    }

    private static boolean isSameText(RecordedCall earlier, RecordedCall later, int endOfTurn) {
        int end = earlier.turnEnd(later, endOfTurn);
        if (end < 0 || earlier.tail(later) == Tail.EXACT) {
            return false;
        }
        int from = earlier.prompt().length;
        var given = Arrays.copyOfRange(later.prompt(), from, from + end);
        int stop = earlier.endsWithStopId(endOfTurn) ? 1 : 0;
        var sampled = Arrays.copyOf(earlier.sampled(), earlier.sampled().length - stop);
        var tokenizer = SimTokenizer.shared();
        var text = tokenizer.decode(sampled);
        return text.equals(tokenizer.decode(given)) && text.indexOf('\uFFFD') < 0;
    }
}
