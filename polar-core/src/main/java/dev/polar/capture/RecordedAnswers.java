package dev.polar.capture;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a growing record tells of the answers that are in it, by their completion's id. Ids are written out of the record's own: each call makes an array. Thread-safe; nothing but {@link #message} reads the file.
 *
 * <p>All but {@link #has} throw {@link IllegalArgumentException} for an id that is not in the record.
 */
public interface RecordedAnswers {
    /** False for an answer that is no completion: no id of it had come. */
    boolean has(String completionId);

    /** The prompt ids at {@code from..to}. */
    int[] promptIds(String completionId, int from, int to);

    /** The sampled ids; empty where the engine gave none. Not to be changed. */
    int[] sampledIds(String completionId);

    /** True where the last sampled id is what stopped the answer: the template's own end, or an id that the caller asked for. */
    boolean endsWithStopId(String completionId);

    /** The answer as the engine's message. */
    Map<String, Object> message(String completionId);

    /** The id that ends most of the answers so far that ended by the template's own stop; empty for a tie, and as long as none did. */
    OptionalInt endOfTurn();

    /** The text of ids, out of the texts that this node has seen in answers; empty where one of them says nothing. */
    Optional<String> seenText(int[] ids);
}
