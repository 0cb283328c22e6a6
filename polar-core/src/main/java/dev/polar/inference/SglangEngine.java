package dev.polar.inference;

import dev.polar.spi.EngineProfile;
import dev.polar.spi.InferenceEngine;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** SGLang: all ids in the choice and in whole answers only, log-probabilities divided by the temperature, weight versions told. */
public final class SglangEngine implements InferenceEngine {
    private static final EngineProfile.AnswerPointers WHOLE = new EngineProfile.AnswerPointers(
            List.of("/choices/0/prompt_token_ids"),
            List.of("/choices/0/response_token_ids"),
            List.of("/choices/0/logprobs/content/*/logprob"),
            List.of("/choices/0/logprobs/content/*/token"),
            List.of("/metadata/weight_versions/*/version", "/metadata/weight_version"),
            List.of("/choices/0/matched_stop"),
            List.of("/usage/prompt_tokens_details/cached_tokens"));

    // return_meta_info would say each token a second time; the weights stand in the metadata anyway
    private static final EngineProfile PROFILE = new EngineProfile(
            Map.of("logprobs", true, "top_logprobs", 0, "return_prompt_token_ids", true, "return_token_ids", true),
            Map.of(),
            Set.of(
                    "input_ids",
                    "rid",
                    "return_meta_info",
                    "return_hidden_states",
                    "stream_reasoning",
                    "separate_reasoning",
                    "echo"),
            "reasoning_content",
            EngineProfile.Logprobs.TEMPERATURE,
            WHOLE,
            Optional.empty(),
            Optional.of(new EngineProfile.TokenizerEndpoints("/v1/tokenize", "/v1/detokenize", "/text")),
            "/health",
            OptionalInt.empty(),
            true,
            List.of("longer than the model's context length", "Requested token count exceeds"),
            Optional.of(new EngineProfile.IdInput("/input_ids", "/v1/tokenize", "/tokens")));

    @Override
    public String name() {
        return "sglang";
    }

    @Override
    public EngineProfile profile() {
        return PROFILE;
    }
}
