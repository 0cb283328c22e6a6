package dev.polar.spi;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * How an engine is asked and where things stand in its answers. Pointers are JSON Pointers (RFC 6901) from the answer's root; the first that is there counts. A list's elements are named by {@code *}.
 *
 * @param add keys that capture needs, added to every request; they win over what the agent sent
 * @param addStreaming keys added besides to a streamed request
 * @param dropStreaming keys of {@code add} and of the agent that the engine refuses in a streamed request, removed from it before {@code addStreaming} is added
 * @param drop keys that the engine refuses or mistakes, removed from every request
 * @param reasoningKey the key of reasoning text in a message, {@code reasoning} or {@code reasoning_content}
 * @param logprobs what a log-probability is unless the engine's flags say otherwise
 * @param whole where things stand in a whole answer
 * @param chunk where they stand in a stream's chunk; empty where ids and log-probabilities of a stream cannot be proved whole, so that {@code streaming: native} is refused
 * @param chunkNeeds what each copy of the engine must have been launched with for {@code chunk} to hold, else {@code streaming: native} is refused; empty where nothing
 * @param tokenizer its tokenizer's endpoints; empty where it has none
 * @param healthPath answers 2xx when it can generate
 * @param endOfTurnTokenId where the engine's model is known to have one
 * @param retryWithoutLimit true where it refuses prompt + max_tokens over its window, so that it is asked once more without the limit
 * @param overflowMarks texts in an error's message that mean that the context window is full
 * @param continuation how it takes ids instead of messages; empty where it does not
 */
public record EngineProfile(
        Map<String, Object> add,
        Map<String, Object> addStreaming,
        Set<String> dropStreaming,
        Set<String> drop,
        String reasoningKey,
        Logprobs logprobs,
        AnswerPointers whole,
        Optional<AnswerPointers> chunk,
        Optional<LaunchSetting> chunkNeeds,
        Optional<TokenizerEndpoints> tokenizer,
        String healthPath,
        OptionalInt endOfTurnTokenId,
        boolean retryWithoutLimit,
        List<String> overflowMarks,
        Optional<IdInput> continuation) {

    /** What a log-probability is: the model's own at temperature 1, or divided by the temperature. */
    public enum Logprobs {
        RAW,
        TEMPERATURE
    }

    /**
     * Where ids and the like stand. {@code index} of a choice is always {@code 0} here: core rewrites it where {@code n} is allowed.
     *
     * @param promptIds list of the prompt's ids
     * @param sampledIds list of the sampled ids
     * @param logprobs list of the sampled ids' log-probabilities, for example {@code /choices/0/logprobs/content/*&#47;logprob}
     * @param tokenTexts list of the sampled ids' texts
     * @param weightVersion the weights that sampled the answer
     * @param matchedStop what stopped it: null or an end-of-sequence id, a string or an id that the caller asked for
     * @param cachedTokens prompt tokens that came from the prefix cache
     */
    public record AnswerPointers(
            List<String> promptIds,
            List<String> sampledIds,
            List<String> logprobs,
            List<String> tokenTexts,
            List<String> weightVersion,
            List<String> matchedStop,
            List<String> cachedTokens) {}

    /**
     * A setting that an engine can be launched with, and tells.
     *
     * @param path endpoint that tells how it was launched, asked with GET
     * @param pointer to the setting in its answer; absent, null, false and the empty text mean that it is not set
     * @param flag what sets it, for the error's remedy, for example {@code --reasoning-parser}
     */
    public record LaunchSetting(String path, String pointer, String flag) {}

    /**
     * The tokenizer's endpoints.
     *
     * @param tokenizePath takes the engine's tokenize request
     * @param detokenizePath takes {@code {"tokens": [...]}}, with the model's name
     * @param detokenizedText pointer to the text in the answer
     */
    public record TokenizerEndpoints(String tokenizePath, String detokenizePath, String detokenizedText) {}

    /**
     * How ids are given instead of messages, and how to learn the ids that messages are rendered to. Where an engine names a field anew, this is the place.
     *
     * @param requestPointers where the ids may stand in a chat request, for example {@code /kv_transfer_params/prompt_token_ids}; the first that a backend proves to take is used
     * @param renderPath endpoint that renders a request to ids
     * @param renderKeys keys of a chat request, {@code messages} among them, that it takes as they are
     * @param renderArguments keys of a chat request that reach the template by themselves there, and here only under {@code chat_template_kwargs}
     * @param renderAdd keys added to it where the request has them not
     * @param renderedIds pointer to the ids in its answer
     * @param checksRange true where the engine itself refuses ids that its model does not have; else core sends it none that it has not seen the like of
     */
    public record IdInput(
            List<String> requestPointers,
            String renderPath,
            Set<String> renderKeys,
            Set<String> renderArguments,
            Map<String, Object> renderAdd,
            String renderedIds,
            boolean checksRange) {}
}
