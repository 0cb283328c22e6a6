package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * One call as its CompletionRecord's JSON tells it.
 *
 * @param order its place in the record, from 0
 * @param prompt ids, or null where the engine gave none
 * @param sampled ids, or null where the engine gave no list
 * @param logprobs NaN where one is no number; null where the engine gave no list
 * @param images the prompt's pictures, in its order
 * @param retokenized ids of the completions that its prompt gives back as the same text in other ids
 * @param json the whole record
 */
record RecordedCall(
        String id,
        int order,
        int[] prompt,
        int[] sampled,
        double[] logprobs,
        List<Picture> images,
        Set<String> retokenized,
        JsonNode json) {
    /** Of one place there may be several. */
    record Picture(int position, String digest) {}

    private static final Set<String> STOPPED = Set.of("stop", "tool_calls");

    static RecordedCall of(JsonNode json, int order) {
        var choice = json.at("/response/choices/0");
        var images = new ArrayList<Picture>();
        json.at("/metadata/images")
                .forEach(image -> images.add(new Picture(
                        image.path("position").asInt(), image.path("digest").asText())));
        var retokenized = new HashSet<String>();
        for (var tail : json.at("/metadata/tails")) {
            if (tail.path("class").asText().equals(Tail.RETOKENIZED.word())) {
                retokenized.add(tail.path("of").asText());
            }
        }
        return new RecordedCall(
                json.path("completion_id").asText(),
                order,
                list(choice.path("input_token_ids")),
                list(choice.path("token_ids")),
                logprobs(choice.path("logprobs").path("content")),
                images,
                retokenized,
                json);
    }

    private static int[] list(JsonNode ids) {
        return ids.isArray() ? TraceCheck.ids(ids) : null;
    }

    private static double[] logprobs(JsonNode content) {
        if (!content.isArray()) {
            return null;
        }
        var logprobs = new double[content.size()];
        for (int i = 0; i < logprobs.length; i++) {
            var logprob = content.get(i).path("logprob");
            logprobs[i] = logprob.isNumber() ? logprob.doubleValue() : Double.NaN;
        }
        return logprobs;
    }

    private JsonNode metadata() {
        return json.path("metadata");
    }

    boolean delivered() {
        return metadata().path("delivered").asBoolean(true);
    }

    String role() {
        return metadata().path("role").asText("main");
    }

    /** Null for the main agent's. */
    String agent() {
        return metadata().path("agent").textValue();
    }

    /** What the record says of itself, or null. */
    String saidUntrainable() {
        return metadata().path("untrainable").textValue();
    }

    /** Why its numbers cannot train: the first reason that holds, or null where they can or where nothing was sampled. */
    String untrainable() {
        if (sampled == null || prompt == null || prompt.length == 0) {
            return "no_ids";
        }
        if (logprobs == null) {
            return sampled.length > 0 ? "no_logprobs" : usageMismatch();
        }
        if (logprobs.length != sampled.length) {
            return "length_mismatch";
        }
        boolean good = Arrays.stream(logprobs).allMatch(logprob -> Double.isFinite(logprob) && logprob <= 0);
        return good ? usageMismatch() : "bad_logprob";
    }

    /** Of several choices, usage counts all together. */
    private String usageMismatch() {
        var counted = json.at("/response/usage/completion_tokens");
        boolean alone = json.at("/request/n").asInt(1) == 1
                && metadata().path("choice_index").asInt(0) == 0;
        return alone && counted.isNumber() && counted.asInt() != sampled.length ? "usage_mismatch" : null;
    }

    boolean isEmpty() {
        return sampled == null || sampled.length == 0;
    }

    int last() {
        return sampled[sampled.length - 1];
    }

    /** True where the last sampled id is what stopped it, or is the end of a turn; {@code endOfTurn} may be null. */
    boolean endsWithStopId(Integer endOfTurn) {
        if (isEmpty()) {
            return false;
        }
        if (endOfTurn != null && endOfTurn == last()) {
            return true;
        }
        var choice = json.at("/response/choices/0");
        var matched = choice.hasNonNull("stop_reason") ? choice.path("stop_reason") : choice.path("matched_stop");
        return STOPPED.contains(choice.path("finish_reason").asText())
                && !matched.isTextual()
                && (!matched.isIntegralNumber() || matched.intValue() == last());
    }

    boolean sameAgent(RecordedCall other) {
        return Objects.equals(agent(), other.agent());
    }

    /** True where the two have the same prompt, pictures included. */
    boolean samePrompt(RecordedCall other) {
        return prompt != null && Arrays.equals(prompt, other.prompt) && images.equals(other.images);
    }

    /** True where this prompt is a proper prefix of the later one's, pictures included. */
    boolean isPrefixOf(RecordedCall later) {
        if (prompt == null || later.prompt == null || prompt.length == 0 || prompt.length >= later.prompt.length) {
            return false;
        }
        var before = later.images.stream()
                .filter(image -> image.position < prompt.length)
                .toList();
        return before.equals(images) && Arrays.equals(prompt, 0, prompt.length, later.prompt, 0, prompt.length);
    }

    /** How the prompt of {@code later}, of which this one is a proper prefix, gives this answer back. */
    Tail tail(RecordedCall later) {
        int end = prompt.length + sampled.length;
        boolean exact = later.prompt.length >= end
                && Arrays.equals(sampled, 0, sampled.length, later.prompt, prompt.length, end);
        if (exact) {
            return Tail.EXACT;
        }
        return later.retokenized.contains(id) ? Tail.RETOKENIZED : Tail.REWRITTEN;
    }

    /** Where, behind this prompt, the first turn of {@code later}'s ends, counted from this prompt's end; -1 where none does. */
    int turnEnd(RecordedCall later, Integer endOfTurn) {
        for (int i = prompt.length; endOfTurn != null && i < later.prompt.length; i++) {
            if (later.prompt[i] == endOfTurn) {
                return i - prompt.length;
            }
        }
        return -1;
    }

    /** How many ids behind this prompt this answer explains in {@code later}'s; -1 for none, where no turn ends there. */
    int explained(RecordedCall later, Integer endOfTurn) {
        if (tail(later) == Tail.EXACT) {
            return sampled.length;
        }
        int end = turnEnd(later, endOfTurn);
        return end < 0 ? -1 : end + (endsWithStopId(endOfTurn) ? 1 : 0);
    }

    /** How a later prompt gives an answer back. */
    enum Tail {
        EXACT,
        RETOKENIZED,
        REWRITTEN;

        String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }

        /** What the spans after it say of their context; null after an exact one. */
        String context() {
            return switch (this) {
                case EXACT -> null;
                case RETOKENIZED -> "same_text";
                case REWRITTEN -> "any";
            };
        }
    }
}
