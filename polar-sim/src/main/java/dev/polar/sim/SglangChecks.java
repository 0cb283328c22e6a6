package dev.polar.sim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** What SGLang refuses before it generates, and how it says so. */
final class SglangChecks {
    private static final String SCHEMA = "Bad Request";
    private static final List<String> WHOLE_ONLY =
            List.of("return_prompt_token_ids", "return_token_ids", "return_meta_info");

    private final SimOptions options;

    SglangChecks(SimOptions options) {
        this.options = options;
    }

    ChatRequest read(Call call) {
        if (!call.header("content-type").startsWith("application/json")) {
            throw new ApiError(400, SCHEMA, null, "Unsupported Media Type: Only 'application/json' is allowed");
        }
        JsonNode body = json(call);
        schema(body);
        ChatRequest request = new ChatRequest(body);
        model(body);
        messagesAndTools(request);
        streamed(request);
        return request;
    }

    static JsonNode json(Call call) {
        try {
            JsonNode body = call.json();
            if (body.isObject()) {
                return body;
            }
        } catch (JsonProcessingException e) {
            throw new ApiError(
                    400,
                    SCHEMA,
                    null,
                    "[{'type': 'json_invalid', 'loc': ('body', "
                            + e.getLocation().getCharOffset() + "), 'msg': 'JSON decode error'}]");
        }
        throw new ApiError(
                400,
                SCHEMA,
                null,
                "[{'type': 'model_attributes_type', 'loc': ('body',), 'msg': 'Input should be a valid dictionary'}]");
    }

    void model(JsonNode body) {
        String model = body.path("model").asText("");
        if (!model.isEmpty() && !model.equals(options.model())) {
            throw new ApiError(404, "NotFoundError", null, "The model `" + model + "` does not exist.");
        }
    }

    /** Unlike vLLM, a limit that does not fit beside the prompt is refused, not clamped. */
    void length(int prompt, ChatRequest request) {
        int most = options.contextLength();
        if (prompt >= most) {
            throw ApiError.badRequest(
                    null,
                    "The input (" + prompt + " tokens) is longer than the model's context length (" + most
                            + " tokens).");
        }
        int wanted = request.maxTokens().orElse(0);
        if (prompt + wanted > most) {
            throw ApiError.badRequest(
                    null,
                    "Requested token count exceeds the model's maximum context length of " + most
                            + " tokens. You requested a total of "
                            + (prompt + wanted) + " tokens: " + prompt + " tokens from the input messages and " + wanted
                            + " tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.");
        }
    }

    /** Refuses a key as a schema does that does not know it. */
    void without(String key, ChatRequest request) {
        if (request.body().has(key)) {
            throw new ApiError(
                    400,
                    SCHEMA,
                    null,
                    "[{'type': 'extra_forbidden', 'loc': ('body', '" + key
                            + "'), 'msg': 'Extra inputs are not permitted'}]");
        }
    }

    private static void schema(JsonNode body) {
        if (!body.path("messages").isArray()) {
            throw invalid("messages", body.has("messages") ? "Input should be a valid list" : "Field required");
        }
        for (String field : List.of("max_tokens", "max_completion_tokens", "n", "seed", "top_logprobs", "min_tokens")) {
            JsonNode value = body.path(field);
            if (!value.isMissingNode() && !value.isNull() && !value.isIntegralNumber()) {
                throw invalid(field, "Input should be a valid integer");
            }
        }
        JsonNode choice = body.path("tool_choice");
        if (choice.isTextual() && !List.of("none", "auto", "required").contains(choice.textValue())) {
            throw invalid("tool_choice", "Input should be 'auto', 'required' or 'none'");
        }
    }

    private static ApiError invalid(String field, String what) {
        return new ApiError(
                400, SCHEMA, null, "[{'type': 'invalid', 'loc': ('body', '" + field + "'), 'msg': '" + what + "'}]");
    }

    private void messagesAndTools(ChatRequest request) {
        if (request.messages().isEmpty()) {
            throw ApiError.badRequest(null, "Messages cannot be empty.");
        }
        if (request.toolChoice() instanceof ToolChoice.Required
                && request.tools().isEmpty()) {
            throw ApiError.badRequest(null, "Tools cannot be empty if tool choice is set to required.");
        }
        if (request.toolChoice() instanceof ToolChoice.Named(String name)) {
            if (request.tools().isEmpty()) {
                throw ApiError.badRequest(null, "Tools cannot be empty if tool choice is set to a specific tool.");
            }
            if (!request.offers(name)) {
                throw ApiError.badRequest(null, "Tool '" + name + "' not found in tools list.");
            }
        }
        int max = request.maxTokens().orElse(1);
        if (max > options.contextLength()) {
            throw ApiError.badRequest(
                    null,
                    "max_completion_tokens is too large: " + max + ".This model supports at most "
                            + options.contextLength() + " completion tokens.");
        }
        if (max < 0 || request.n() < 1) {
            throw ApiError.badRequest(
                    null,
                    max < 0
                            ? "max_new_tokens must be at least 0, got " + max + "."
                            : "n must be at least 1, got " + request.n() + ".");
        }
    }

    private static void streamed(ChatRequest request) {
        for (String flag : WHOLE_ONLY) {
            if (request.stream() && request.flag(flag)) {
                throw new ApiError(
                        400,
                        "BadRequest",
                        null,
                        flag + " is not supported with streaming. Please set stream=false when using " + flag
                                + "=true.");
            }
        }
    }
}
