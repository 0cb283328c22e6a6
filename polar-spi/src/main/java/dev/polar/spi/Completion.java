package dev.polar.spi;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One answered model call, as it was recorded. Immutable; arrays are handed over, not copied, and must not be changed. */
public interface Completion {
    String id();

    /** The order in which requests had been read; unique within a session. */
    long sequence();

    /** {@code main}, {@code subagent}, {@code auxiliary}, or a harness's own. */
    String role();

    /** Which agent called; empty is the main one. */
    Optional<String> agent();

    /** {@code compaction} or {@code resumed}, where the harness could tell. */
    Optional<String> segmentKind();

    /** True where the whole answer was written to the agent. */
    boolean delivered();

    /** Why it cannot train: {@code no_ids}, {@code no_logprobs}, {@code length_mismatch}, {@code bad_logprob}, {@code usage_mismatch}. */
    Optional<String> untrainable();

    /** Number of prompt ids. */
    int promptLength();

    /** The prompt ids, written out: each call makes an array of {@link #promptLength()} ids. */
    int[] promptIds();

    /** The prompt ids at {@code from..to}, written out. */
    default int[] promptIds(int from, int to) {
        return Arrays.copyOfRange(promptIds(), from, to);
    }

    /** The sampled ids; empty where the engine gave an empty list or none. */
    int[] responseIds();

    /** As long as {@link #responseIds()}; empty where the engine gave none. As the engine's text says, so NaN and infinities may stand in it. */
    double[] logprobs();

    /** The pictures in the prompt, by position. */
    List<ImagePlace> images();

    /** True where {@code other}'s prompt, pictures included, is a proper prefix of this one's. Both must be of one record. */
    boolean extendsPromptOf(Completion other);

    /** Ids of the completions of which the tail was found to be the same text in other ids. */
    Set<String> retokenizedOf();

    String finishReason();

    /** True where the answer ended by {@code stop} or {@code tool_calls} and its stop was neither a string nor an id that the caller asked for. */
    boolean endedByTemplate();

    /** True where the last sampled id is what stopped the answer: the template's own end, or an id that the caller asked for. */
    boolean endsWithStopId();

    /** The engine's messages: JSON trees, each read from the record when it is asked for; {@code size()} and {@code subList} read nothing. */
    List<Map<String, Object>> promptMessages();

    /** The answer as a message. */
    Map<String, Object> responseMessage();

    /** The tools offered, or empty. */
    Optional<List<Map<String, Object>>> tools();

    /** {@code metadata} of the completion record: versions, sampling, timings and so on. */
    Map<String, Object> metadata();
}
