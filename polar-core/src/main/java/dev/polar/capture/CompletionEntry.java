package dev.polar.capture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.CallFacts;
import dev.polar.spi.ImagePlace;
import java.util.List;

/**
 * One answered model call, as the proxy hands it to the record. Arrays and trees are handed over: nobody changes them afterwards.
 *
 * @param id the completion's, unique in its session
 * @param facts sequence, dialect and what a classifier may look at; its completion id is {@code id}
 * @param timestamp when the answer was complete, epoch seconds
 * @param request as sent to the engine
 * @param originalRequest as the agent sent it
 * @param answer the engine's answer without ids, log-probabilities and token texts: {@code id}, {@code model}, {@code created}, {@code message}, {@code usage} and the like
 * @param choiceIndex index of the choice, 0 unless {@code n} is allowed
 * @param promptIds as the engine gave them, or null
 * @param sampledIds as the engine gave them, or null
 * @param logprobs as the engine's text says, NaN where it was null or no number; null where it gave no list
 * @param tokenTexts one for each sampled id, or null
 * @param finishReason the engine's word, or null for an answer that was cut off
 * @param matchedStop what stopped it, as the engine says: null (or a JSON null) for its own end or none, an id, or a stop string
 * @param images the pictures in the prompt, by position
 * @param pictures those of the request's messages, in their order
 * @param metadata keys of the completion record's metadata that the proxy knows: {@code policy_version}, {@code policy_version_end}, {@code sampling}, {@code guided}, {@code timings} and so on, and {@code invalid_tool_call: true}
 *     where the answer holds a tool call that does not parse; role, agent, delivered, sequence, images, untrainable and tails are added by the record, which alone decides what cannot
 *     train ({@link Untrainable})
 */
public record CompletionEntry(
        String id,
        CallFacts facts,
        double timestamp,
        ObjectNode request,
        JsonNode originalRequest,
        ObjectNode answer,
        int choiceIndex,
        int[] promptIds,
        int[] sampledIds,
        double[] logprobs,
        String[] tokenTexts,
        String finishReason,
        JsonNode matchedStop,
        List<ImagePlace> images,
        List<Picture> pictures,
        ObjectNode metadata) {}
