package dev.polar.inference;

import dev.polar.spi.EngineProfile;
import dev.polar.spi.InferenceEngine;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** vLLM: prompt ids at the answer's top, sampled ids in the choice, log-probabilities of the model itself at temperature 1. */
public final class VllmEngine implements InferenceEngine {
    static final String NAME = "vllm";

    private static final EngineProfile.AnswerPointers WHOLE = new EngineProfile.AnswerPointers(
            List.of("/prompt_token_ids"),
            List.of("/choices/0/token_ids"),
            List.of("/choices/0/logprobs/content/*/logprob"),
            List.of("/choices/0/logprobs/content/*/token"),
            List.of("/choices/0/weight_versions/*/version", "/weight_version"),
            List.of("/choices/0/stop_reason"),
            List.of("/usage/prompt_tokens_details/cached_tokens"));

    // the second is ignored by 0.32, and may become the name
    private static final EngineProfile.IdInput IDS = new EngineProfile.IdInput(
            List.of("/kv_transfer_params/prompt_token_ids", "/prompt_token_ids"),
            "/tokenize",
            Set.of(
                    "model",
                    "messages",
                    "tools",
                    "chat_template",
                    "chat_template_kwargs",
                    "add_generation_prompt",
                    "continue_final_message"),
            Set.of("reasoning_effort", "documents"),
            Map.of("add_generation_prompt", true),
            "/tokens",
            true);

    private static final EngineProfile PROFILE = new EngineProfile(
            Map.of("logprobs", true, "top_logprobs", 0, "return_token_ids", true),
            Map.of("stream_options", Map.of("include_usage", true)),
            Set.of(),
            // include_reasoning: false takes ids and log-probabilities away; the others change the texts of tokens or
            // the ids of the prompt
            Set.of(
                    "include_reasoning",
                    "return_tokens_as_token_ids",
                    "echo",
                    "prompt_logprobs",
                    "kv_transfer_params",
                    "prompt_token_ids"),
            "reasoning",
            EngineProfile.Logprobs.RAW,
            WHOLE,
            Optional.of(WHOLE),
            Optional.empty(),
            Optional.of(new EngineProfile.TokenizerEndpoints("/tokenize", "/detokenize", "/prompt")),
            "/health",
            OptionalInt.empty(),
            false,
            List.of("maximum context length", "longer than the maximum model length"),
            Optional.of(IDS));

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public EngineProfile profile() {
        return PROFILE;
    }
}
