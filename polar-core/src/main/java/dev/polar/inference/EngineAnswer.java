package dev.polar.inference;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * A whole answer, parsed once. Arrays are handed over and not changed afterwards.
 *
 * @param body what is left without ids, log-probabilities and token texts
 * @param promptIds as the engine gave them, or null
 * @param sampledIds as the engine gave them, or null
 * @param logprobs NaN where the text was null or no number; null where there was no list
 * @param tokenTexts one for each log-probability, or null
 * @param weightVersions the weights that sampled it, in order; empty where the engine does not say
 * @param matchedStop null, or what stopped it: a string or an id
 * @param cachedTokens prompt tokens out of the prefix cache, -1 where unknown
 * @param shown the list of log-probabilities as the engine gave it, where the agent asked to see it; else null
 */
public record EngineAnswer(
        ObjectNode body,
        int[] promptIds,
        int[] sampledIds,
        double[] logprobs,
        String[] tokenTexts,
        List<String> weightVersions,
        JsonNode matchedStop,
        int cachedTokens,
        JsonNode shown) {
    /** The first choice, which is there. */
    public ObjectNode choice() {
        return (ObjectNode) body.path("choices").get(0);
    }

    /** The engine's word, or null. */
    public String finishReason() {
        return choice().path("finish_reason").textValue();
    }

    /** The engine cut it off for a change of the weights: no answer for an agent. */
    public boolean cutOff() {
        return "abort".equals(finishReason());
    }
}
