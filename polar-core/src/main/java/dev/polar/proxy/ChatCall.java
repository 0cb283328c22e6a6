package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.ApiType;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * One model call as a dialect has decoded it.
 *
 * @param api the dialect
 * @param model the name that the agent asked for; empty where it named none
 * @param stream whether it wants a stream
 * @param request messages, tools and sampling as an OpenAI-style engine takes them; reasoning of earlier turns under {@code reasoning_content}; may be changed by its owner, the nodes below
 *     {@code messages} too, unless they are shared with the agent's own request: those are replaced, never changed
 * @param wishes what the agent wants to see
 * @param stops stop strings that the agent asked for
 * @param dropped names of the rules by which something was left out
 * @param beside what must come back to the agent and no engine knows
 */
record ChatCall(
        ApiType api,
        String model,
        boolean stream,
        ObjectNode request,
        Wishes wishes,
        Set<String> stops,
        List<String> dropped,
        Beside beside) {
    /** A call beside which nothing is kept. */
    ChatCall(
            ApiType api,
            String model,
            boolean stream,
            ObjectNode request,
            Wishes wishes,
            Set<String> stops,
            List<String> dropped) {
        this(api, model, stream, request, wishes, stops, dropped, Nothing.KEPT);
    }

    /** What a dialect's decoder leaves for its encoder. */
    sealed interface Beside permits Nothing, ResponsesCall {}

    /** Where a dialect needs no more than the call itself. */
    enum Nothing implements Beside {
        KEPT
    }

    /**
     * What the agent wants to see, beside the answer.
     *
     * @param usageInStream a last chunk with the usage
     * @param logprobs log-probabilities of its tokens
     * @param topLogprobs how many alternatives of each
     * @param tokenIds the ids
     * @param oneToolCall at most one tool call
     * @param noThoughts no reasoning, where its dialect lets it say so
     */
    record Wishes(
            boolean usageInStream,
            boolean logprobs,
            int topLogprobs,
            boolean tokenIds,
            boolean oneToolCall,
            boolean noThoughts) {
        static final Wishes NONE = new Wishes(false, false, 0, false, false);

        Wishes(boolean usageInStream, boolean logprobs, int topLogprobs, boolean tokenIds, boolean oneToolCall) {
            this(usageInStream, logprobs, topLogprobs, tokenIds, oneToolCall, false);
        }
    }

    ArrayNode messages() {
        return (ArrayNode) request.get("messages");
    }

    /** The output limit that the agent asked for. */
    OptionalInt maxTokens() {
        var limit = request.path("max_tokens");
        return limit.isIntegralNumber() && limit.canConvertToInt()
                ? OptionalInt.of(limit.intValue())
                : OptionalInt.empty();
    }
}
