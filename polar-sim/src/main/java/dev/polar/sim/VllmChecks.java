package dev.polar.sim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;

/** What vLLM refuses before it generates, and how it says so. */
final class VllmChecks {
    private static final String SCHEMA = "Bad Request";
    private static final Set<String> CHOICES = Set.of("none", "auto", "required");

    private final SimOptions options;

    VllmChecks(SimOptions options) {
        this.options = options;
    }

    ChatRequest read(Call call) {
        String contentType = call.header("content-type");
        if (!contentType.startsWith("application/json")) {
            throw new ApiError(400, SCHEMA, null, "Unsupported Media Type: Only 'application/json' is allowed");
        }
        JsonNode body = json(call);
        schema(body);
        model(body);
        ChatRequest request = new ChatRequest(body);
        sampling(request);
        tools(request);
        return request;
    }

    static JsonNode json(Call call) {
        try {
            JsonNode body = call.json();
            if (!body.isObject()) {
                throw new ApiError(
                        400,
                        SCHEMA,
                        "body",
                        "1 validation error:\n  {'type': 'model_attributes_type', 'loc': ('body',), 'msg': 'Input should be a valid dictionary'}");
            }
            return body;
        } catch (JsonProcessingException e) {
            String at = "body."
                    + Math.max(0, e.getLocation() == null ? 0 : e.getLocation().getCharOffset());
            throw new ApiError(
                    400,
                    SCHEMA,
                    at,
                    "1 validation error:\n  {'type': 'json_invalid', 'loc': '" + at + "', 'msg': 'JSON decode error'}");
        }
    }

    void model(JsonNode body) {
        String model = body.path("model").asText("");
        if (!model.isEmpty() && !model.equals(options.model())) {
            throw new ApiError(
                    404,
                    "NotFoundError",
                    "model",
                    "The model `" + model + "` does not exist. Valid aliases: " + options.model() + ".");
        }
    }

    void promptLength(int length) {
        if (length >= options.contextLength()) {
            throw ApiError.badRequest(
                    "input_tokens",
                    "This model's maximum context length is " + options.contextLength()
                            + " tokens. However, your prompt contains at least " + length
                            + " input tokens, which exceeds this limit even without any output tokens. Please reduce the length of the input prompt."
                            + " (parameter=input_tokens, value=" + length + ")");
        }
    }

    /** Refuses a key as a schema does that does not know it. */
    void without(String key, ChatRequest request) {
        if (request.body().has(key)) {
            throw new ApiError(
                    400,
                    SCHEMA,
                    "body." + key,
                    "1 validation error:\n  {'type': 'extra_forbidden', 'loc': ('body', '" + key
                            + "'), 'msg': 'Extra inputs are not permitted'}");
        }
    }

    /** In other words than for a rendered prompt. */
    void givenLength(int length) {
        if (length > options.contextLength()) {
            throw ApiError.badRequest(
                    null,
                    "Input length (" + length + ") exceeds model's maximum context length (" + options.contextLength()
                            + ").");
        }
        if (length == options.contextLength()) {
            throw ApiError.badRequest(
                    "max_tokens", "max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)");
        }
    }

    private static void schema(JsonNode body) {
        if (!body.path("messages").isArray()) {
            throw invalid("messages", body.has("messages") ? "Input should be a valid list" : "Field required");
        }
        for (String field : Set.of("max_tokens", "max_completion_tokens", "n", "seed", "top_logprobs", "min_tokens")) {
            JsonNode value = body.path(field);
            if (!value.isMissingNode() && !value.isNull() && !value.isIntegralNumber()) {
                throw invalid(field, "Input should be a valid integer");
            }
        }
        for (JsonNode message : body.path("messages")) {
            if (!message.path("role").isTextual()) {
                throw invalid("messages", "Field required");
            }
        }
    }

    private static ApiError invalid(String field, String what) {
        return new ApiError(
                400,
                SCHEMA,
                "body." + field,
                "1 validation error:\n  {'type': 'invalid', 'loc': ('body', '" + field + "'), 'msg': '" + what + "'}");
    }

    private void sampling(ChatRequest request) {
        int max = request.maxTokens().orElse(1);
        if (max < 1) {
            throw ApiError.badRequest(
                    "max_tokens",
                    "max_tokens must be at least 1, got " + max + ". (parameter=max_tokens, value=" + max + ")");
        }
        if (max > options.contextLength()) {
            throw ApiError.badRequest(
                    "max_tokens",
                    "max_tokens=" + max + " cannot be greater than max_model_len=" + options.contextLength()
                            + ". Please request fewer output tokens. (parameter=max_tokens, value=" + max + ")");
        }
        if (request.n() < 1 || (request.n() > 1 && request.temperature() == 0)) {
            throw ApiError.badRequest(
                    null,
                    request.n() < 1
                            ? "n must be at least 1, got " + request.n() + "."
                            : "n must be 1 when using greedy sampling, got " + request.n() + ".");
        }
        if (request.stream() && request.number("prompt_logprobs").isPresent()) {
            throw ApiError.badRequest("prompt_logprobs", "`prompt_logprobs` are not available when `stream=True`.");
        }
        if (request.topLogprobs() > 20) {
            throw ApiError.badRequest(
                    "logprobs",
                    "Requested sample logprobs of " + request.topLogprobs()
                            + ", which is greater than max allowed: 20");
        }
        if (request.body().path("top_logprobs").isNumber() && request.topLogprobs() > 0 && !request.logprobs()) {
            throw ApiError.badRequest("top_logprobs", "when using `top_logprobs`, `logprobs` must be set to true.");
        }
    }

    private static void tools(ChatRequest request) {
        JsonNode choice = request.body().path("tool_choice");
        if (choice.isMissingNode() || choice.isNull() || "none".equals(choice.asText())) {
            return;
        }
        if (choice.isTextual() && !CHOICES.contains(choice.textValue())) {
            throw ApiError.badRequest(
                    "tool_choice",
                    "Invalid value for `tool_choice`: " + choice.textValue()
                            + "! Only named tools, \"none\", \"auto\" or \"required\" are supported.");
        }
        if (request.tools().isEmpty()) {
            throw ApiError.badRequest("tool_choice", "When using `tool_choice`, `tools` must be set.");
        }
        if (request.toolChoice() instanceof ToolChoice.Named(String name) && !request.offers(name)) {
            throw ApiError.badRequest(
                    "tool_choice", "The tool specified in `tool_choice` does not match any of the specified `tools`");
        }
    }
}
