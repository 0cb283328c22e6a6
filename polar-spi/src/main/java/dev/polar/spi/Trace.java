package dev.polar.spi;

import java.util.List;
import java.util.Map;

/**
 * One training sequence. Arrays and lists are handed over, not copied: whoever makes or reads a trace does not change them. Messages may be read from the record when they are asked for.
 *
 * @param promptIds the first prompt's token ids
 * @param responseIds sampled and given ids after it
 * @param lossMask 0 or 1, as long as {@code responseIds}: 1 where the policy sampled the id
 * @param promptMessages the first prompt's messages
 * @param responseMessages answers and inserted messages, in order
 * @param tools the first prompt's tools, or null
 * @param finishReason the last completion's
 * @param responseLogprobs natural logarithms, as long as {@code responseIds}, 0.0 where the mask is 0; or null
 * @param reward finite, or null
 * @param metadata never null
 */
public record Trace(
        int[] promptIds,
        int[] responseIds,
        int[] lossMask,
        List<Map<String, Object>> promptMessages,
        List<Map<String, Object>> responseMessages,
        List<Map<String, Object>> tools,
        String finishReason,
        double[] responseLogprobs,
        Double reward,
        Map<String, Object> metadata) {
    public Trace {
        Check.present("prompt_ids", promptIds);
        Check.present("response_ids", responseIds);
        Check.present("loss_mask", lossMask);
        promptMessages = Check.handedOver(promptMessages);
        responseMessages = Check.handedOver(responseMessages);
        if (reward != null && !Double.isFinite(reward)) {
            throw new InvalidValueException("reward", reward + " must be finite");
        }
        metadata = Check.map(metadata);
    }

    /** The same trace with another reward. */
    public Trace withReward(Double other) {
        return new Trace(
                promptIds,
                responseIds,
                lossMask,
                promptMessages,
                responseMessages,
                tools,
                finishReason,
                responseLogprobs,
                other,
                metadata);
    }

    /** The same trace with another mask. */
    public Trace withLossMask(int[] other) {
        return new Trace(
                promptIds,
                responseIds,
                other,
                promptMessages,
                responseMessages,
                tools,
                finishReason,
                responseLogprobs,
                reward,
                metadata);
    }

    /** The same trace with other metadata. */
    public Trace withMetadata(Map<String, Object> other) {
        return new Trace(
                promptIds,
                responseIds,
                lossMask,
                promptMessages,
                responseMessages,
                tools,
                finishReason,
                responseLogprobs,
                reward,
                other);
    }
}
