package dev.polar.inference;

import dev.polar.spi.EngineProfile;
import dev.polar.spi.InferenceEngine;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * SGLang: log-probabilities divided by the temperature. A whole answer has all ids in its choice, and tells its weight versions. A stream has its ids once, after its finish reason, and no weight version;
 * only with a parser of its own on every request, which the one for reasoning is, does it send each step, and so each log-probability.
 */
public final class SglangEngine implements InferenceEngine {
    private static final EngineProfile.AnswerPointers WHOLE = new EngineProfile.AnswerPointers(
            List.of("/choices/0/prompt_token_ids"),
            List.of("/choices/0/response_token_ids"),
            List.of("/choices/0/logprobs/content/*/logprob"),
            List.of("/choices/0/logprobs/content/*/token"),
            List.of("/metadata/weight_versions/*/version", "/metadata/weight_version"),
            List.of("/choices/0/matched_stop"),
            List.of("/usage/prompt_tokens_details/cached_tokens"));

    private static final EngineProfile.AnswerPointers CHUNK = new EngineProfile.AnswerPointers(
            List.of("/sglext/input_ids"),
            List.of("/sglext/output_ids/0"),
            WHOLE.logprobs(),
            WHOLE.tokenTexts(),
            List.of(),
            WHOLE.matchedStop(),
            WHOLE.cachedTokens());

    // tools that may not be called are not in its prompts; with add_generation_prompt it would open a second answer
    private static final EngineProfile.IdInput IDS = new EngineProfile.IdInput(
            List.of("/input_ids"),
            "/v1/tokenize",
            Set.of("model", "messages", "tools", "tool_choice", "chat_template_kwargs"),
            Set.of("reasoning_effort"),
            Map.of(),
            "/tokens",
            false);

    // return_meta_info would say each token a second time; the weights stand in the metadata anyway
    private static final EngineProfile PROFILE = new EngineProfile(
            Map.of("logprobs", true, "top_logprobs", 0, "return_prompt_token_ids", true, "return_token_ids", true),
            Map.of(
                    "return_input_ids_in_sglext",
                    true,
                    "return_output_ids_in_sglext",
                    true,
                    "stream_options",
                    Map.of("include_usage", true)),
            Set.of("return_prompt_token_ids", "return_token_ids"),
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
            Optional.of(CHUNK),
            Optional.of(new EngineProfile.LaunchSetting("/server_info", "/reasoning_parser", "--reasoning-parser")),
            Optional.of(new EngineProfile.TokenizerEndpoints("/v1/tokenize", "/v1/detokenize", "/text")),
            "/health",
            OptionalInt.empty(),
            true,
            List.of("longer than the model's context length", "Requested token count exceeds"),
            Optional.of(IDS));

    @Override
    public String name() {
        return "sglang";
    }

    @Override
    public EngineProfile profile() {
        return PROFILE;
    }
}
