package dev.polar.capture;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/**
 * Decides from an answer alone whether its tokens can train. The record calls this when an entry arrives, and nobody else decides; the proxy may ask it too, to warn.
 *
 * <p>The first of these holds: {@code no_ids} (the engine gave no list of sampled ids, or no prompt ids), {@code no_logprobs}, {@code length_mismatch}, {@code bad_logprob} (null, NaN,
 * infinite or positive), {@code usage_mismatch} (the ids do not add up to {@code usage.completion_tokens}). A list of 0 ids is an empty answer, not an untrainable one, unless its usage
 * counts tokens.
 */
public final class Untrainable {
    public static final String NO_IDS = "no_ids";
    public static final String NO_LOGPROBS = "no_logprobs";
    public static final String LENGTH_MISMATCH = "length_mismatch";
    public static final String BAD_LOGPROB = "bad_logprob";
    public static final String USAGE_MISMATCH = "usage_mismatch";

    private Untrainable() {}

    /** Why {@code entry} cannot train; empty where it can, or is empty. */
    public static Optional<String> of(CompletionEntry entry) {
        return Optional.ofNullable(reason(entry));
    }

    private static String reason(CompletionEntry entry) {
        var ids = entry.sampledIds();
        var logprobs = entry.logprobs();
        if (ids == null || entry.promptIds() == null || entry.promptIds().length == 0) {
            return NO_IDS;
        }
        if (logprobs == null && ids.length > 0) {
            return NO_LOGPROBS;
        }
        if (logprobs != null && logprobs.length != ids.length) {
            return LENGTH_MISMATCH;
        }
        if (logprobs != null && !valid(logprobs)) {
            return BAD_LOGPROB;
        }
        return usageDiffers(entry) ? USAGE_MISMATCH : null;
    }

    private static boolean valid(double[] logprobs) {
        for (double logprob : logprobs) {
            if (!(logprob <= 0) || logprob == Double.NEGATIVE_INFINITY) {
                return false;
            }
        }
        return true;
    }

    /** With several choices, usage is their sum and proves nothing of one. */
    private static boolean usageDiffers(CompletionEntry entry) {
        JsonNode counted = entry.answer().path("usage").path("completion_tokens");
        boolean alone = entry.choiceIndex() == 0 && entry.request().path("n").asInt(1) == 1;
        return alone && counted.isNumber() && counted.asLong() != entry.sampledIds().length;
    }
}
