package dev.polar.capture;

import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;

/** What is decided at a record's end, and its entry: labels, the end-of-turn id, and which answers came back as the same text. */
final class Seal {
    private Seal() {}

    /**
     * The labels of a frozen tree's calls, by ordinal.
     *
     * @param sessionId for messages
     * @param classifier gets the calls in order of arrival
     * @throws IllegalStateException where it gives more labels or fewer
     */
    static List<CallLabel> labels(
            String sessionId,
            RecordTree tree,
            EntryCache cache,
            Function<List<CallFacts>, List<CallLabel>> classifier) {
        var arrived = tree.completions().stream().sorted(SealedRecord.ARRIVAL).toList();
        var facts = arrived.stream()
                .map(completion -> cache.body(completion.position).callFacts(tree.contents(), cache))
                .toList();
        var labels = classifier.apply(facts);
        if (labels.size() != facts.size()) {
            throw new IllegalStateException("the classifier gave " + labels.size() + " labels for " + facts.size()
                    + " calls of session " + sessionId);
        }
        var byOrdinal = new ArrayList<CallLabel>(Collections.nCopies(labels.size(), null));
        for (int i = 0; i < labels.size(); i++) {
            byOrdinal.set(arrived.get(i).ordinal, labels.get(i));
        }
        return byOrdinal;
    }

    /** The labels of a sealed record, by ordinal. */
    static List<CallLabel> labels(SealedRecord record) {
        var labels = new ArrayList<CallLabel>();
        for (int ordinal = 0; ordinal < record.completions().size(); ordinal++) {
            labels.add(record.byOrdinal(ordinal).label());
        }
        return labels;
    }

    static byte[] write(SealedRecord record) {
        var out = new EntryWriter();
        out.number(record.completions().size());
        for (var label : labels(record)) {
            out.text(label.role()).optional(label.agent()).optional(label.segmentKind());
        }
        var endOfTurn = record.endOfTurnTokenId();
        out.bool(endOfTurn.isPresent());
        if (endOfTurn.isPresent()) {
            out.number(Integer.toUnsignedLong(endOfTurn.getAsInt()));
        }
        var withTails = record.prompts().stream()
                .filter(prompt -> !prompt.retokenized().isEmpty())
                .toList();
        out.number(withTails.size());
        for (var prompt : withTails) {
            // A prompt is named by one of its answers.
            out.number(prompt.completions().getFirst().stored().ordinal);
            out.number(prompt.retokenized().size());
            prompt.retokenized().forEach(answer -> out.number(answer.stored().ordinal));
        }
        return out.toByteArray();
    }

    static SealedRecord read(EntryReader in, RecordData data) {
        int count = in.integer();
        var labels = new ArrayList<CallLabel>(count);
        for (int i = 0; i < count; i++) {
            labels.add(new CallLabel(in.text(), in.optional(), in.optional()));
        }
        var endOfTurn = in.bool() ? OptionalInt.of(in.integer()) : OptionalInt.empty();
        var record = new SealedRecord(data, labels, endOfTurn);
        var tails = new LinkedHashMap<Prompt, List<RecordedCompletion>>();
        int prompts = in.integer();
        for (int i = 0; i < prompts; i++) {
            var prompt = record.byOrdinal(in.integer()).prompt();
            int answers = in.integer();
            var retokenized = new ArrayList<RecordedCompletion>(answers);
            for (int j = 0; j < answers; j++) {
                retokenized.add(record.byOrdinal(in.integer()));
            }
            tails.put(prompt, retokenized);
        }
        tails.forEach(Prompt::retokenized);
        return record;
    }
}
