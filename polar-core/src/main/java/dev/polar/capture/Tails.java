package dev.polar.capture;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides which answers a later prompt gives back as the same text in other ids.
 *
 * <p>An answer {@code R} to the prompt {@code P[j]} is given back by the ids behind {@code P[j]} up to the first end of turn, {@code b}. All prompts in which that end of turn is the same place
 * of the tree have the same {@code b}, so the question is asked once for each such place, on the way down: an answer waits as long as no turn has ended. Each distinct sequence is
 * put into text once.
 */
final class Tails {
    /** Answers that wait for the end of a turn, as a list that branches share. */
    private record Waiting(RecordedCompletion answer, Waiting rest) {}

    /** An answer, and what stands in its place where {@code prompt}'s turn ends. */
    private record Question(RecordedCompletion answer, Prompt prompt, Ids sampled, Ids given) {}

    /** Ids that can be looked up. */
    private record Ids(int[] ids) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Ids sequence && Arrays.equals(ids, sequence.ids);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(ids);
        }
    }

    private Tails() {}

    /** Decides for every answer of the record, left-out ones too; sets {@link Prompt#retokenized}. */
    static void decide(SealedRecord record, Detokenizer detokenizer, TokenTexts seen) {
        var questions = questions(record);
        if (questions.isEmpty()) {
            return;
        }
        var texts = texts(questions, detokenizer, seen);
        var same = new LinkedHashMap<Prompt, List<RecordedCompletion>>();
        for (var question : questions) {
            var sampled = texts.get(question.sampled);
            if (sampled.isPresent() && sampled.equals(texts.get(question.given)) && !cut(sampled.get())) {
                same.computeIfAbsent(question.prompt, none -> new ArrayList<>()).add(question.answer);
            }
        }
        same.forEach(Prompt::retokenized);
    }

    private static List<Question> questions(SealedRecord record) {
        var questions = new ArrayList<Question>();
        var behind = new LinkedHashMap<Prompt, Waiting>();
        for (var prompt : record.prompts()) {
            if (prompt.isRoot()) {
                continue;
            }
            var waiting = behind.get(prompt.parent());
            for (var answer : prompt.parent().completions()) {
                waiting = answer.responseLength() == 0 ? waiting : new Waiting(answer, waiting);
            }
            if (prompt.endOfTurn() < 0) {
                behind.put(prompt, waiting);
                continue;
            }
            for (var next = waiting; next != null; next = next.rest) {
                if (record.agentGoesOn(next.answer, prompt) && !next.answer.isContinuedBy(prompt)) {
                    questions.add(question(next.answer, prompt));
                }
            }
        }
        return questions;
    }

    private static Question question(RecordedCompletion answer, Prompt prompt) {
        var sampled = answer.responseIds();
        int length = answer.endsWithStopId() ? sampled.length - 1 : sampled.length;
        var given = TokenTree.ids(prompt.node(), answer.promptLength(), prompt.endOfTurn());
        return new Question(answer, prompt, new Ids(Arrays.copyOf(sampled, length)), new Ids(given));
    }

    private static Map<Ids, Optional<String>> texts(
            List<Question> questions, Detokenizer detokenizer, TokenTexts seen) {
        var texts = new LinkedHashMap<Ids, Optional<String>>();
        for (var question : questions) {
            texts.put(question.sampled, Optional.empty());
            texts.put(question.given, Optional.empty());
        }
        var sequences = List.copyOf(texts.keySet());
        var asked =
                sequences.stream().filter(sequence -> sequence.ids.length > 0).toList();
        var answered = detokenizer.texts(asked.stream().map(Ids::ids).toList());
        if (answered.isPresent() && answered.get().size() != asked.size()) {
            throw new IllegalStateException("the engine put " + asked.size() + " sequences into "
                    + answered.get().size() + " texts");
        }
        for (var sequence : sequences) {
            texts.put(sequence, answered.isPresent() ? Optional.of("") : seen.of(sequence.ids));
        }
        for (int i = 0; answered.isPresent() && i < asked.size(); i++) {
            texts.put(asked.get(i), Optional.ofNullable(answered.get().get(i)));
        }
        return texts;
    }

    /** A text that holds U+FFFD may stand for any bytes. */
    private static boolean cut(String text) {
        return text.indexOf('\uFFFD') >= 0;
    }
}
