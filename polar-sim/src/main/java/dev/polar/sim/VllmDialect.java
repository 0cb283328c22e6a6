package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Supplier;
import java.util.stream.StreamSupport;

/** vLLM 0.32. */
final class VllmDialect implements Dialect {
    private final SimOptions options;
    private final VllmChecks checks;
    private final VllmAnswers answers;
    private final VllmEndpoints endpoints;
    private final Supplier<IdInput> idInput;
    private final SimTokenizer tokenizer = SimTokenizer.shared();

    VllmDialect(SimOptions options, Scheduler scheduler, Supplier<IdInput> idInput) {
        this.options = options;
        this.idInput = idInput;
        this.checks = new VllmChecks(options);
        this.answers = new VllmAnswers(options);
        this.endpoints = new VllmEndpoints(options, checks, scheduler);
    }

    @Override
    public void addRoutes(Routes routes) {
        endpoints.addTo(routes);
    }

    @Override
    public ObjectNode error(ApiError error) {
        ObjectNode inner = Json.object()
                .put("message", error.getMessage())
                .put("type", error.type())
                .put("param", error.param())
                .put("code", error.status());
        return Json.object().set("error", inner);
    }

    @Override
    public ObjectNode streamError(ApiError error) {
        return error(error);
    }

    @Override
    public ApiError engineDied() {
        return new ApiError(
                500,
                "InternalServerError",
                null,
                "EngineCore encountered an issue. See stack trace (above) for the root cause.");
    }

    @Override
    public ChatRequest read(Call call) {
        return checks.read(call);
    }

    @Override
    public String requestId(Call call, ChatRequest request) {
        String given = call.header("x-request-id").isEmpty()
                ? request.body().path("request_id").asText("")
                : call.header("x-request-id");
        return given.isEmpty() ? Ids.vllmChat() : "chatcmpl-" + given;
    }

    /** Ids given in {@code kv_transfer_params}, beside which messages may be missing, are dropped in silence with {@code echo} or where a message holds anything but text. */
    @Override
    public int[] promptIds(ChatRequest request) {
        JsonNode given = request.body().path("kv_transfer_params").path("prompt_token_ids");
        boolean taken = switch (idInput.get()) {
            case TAKEN -> !given.isMissingNode() && !given.isNull() && !request.flag("echo") && !request.hasMedia();
            case IGNORED -> false;
            case REFUSED -> {
                checks.without("kv_transfer_params", request);
                yield false;
            }
        };
        int[] ids = taken ? given(given) : rendered(request);
        checks.promptLength(ids.length);
        return ids;
    }

    private int[] given(JsonNode given) {
        boolean numbers = !given.isEmpty();
        for (JsonNode id : given) {
            numbers = numbers && id.isIntegralNumber() && id.longValue() >= 0;
        }
        if (!numbers) {
            throw wrongIds(
                    "`kv_transfer_params['prompt_token_ids']` must be a non-empty list of non-negative integers.");
        }
        checks.givenLength(given.size());
        for (JsonNode id : given) {
            if (!id.canConvertToInt() || !tokenizer.contains(id.intValue())) {
                throw wrongIds("Token id " + id + " is out of vocabulary");
            }
        }
        return StreamSupport.stream(given.spliterator(), false)
                .mapToInt(JsonNode::intValue)
                .toArray();
    }

    private static ApiError wrongIds(String message) {
        var name = "kv_transfer_params.prompt_token_ids";
        return ApiError.badRequest(name, message + " (parameter=" + name + ")");
    }

    private int[] rendered(ChatRequest request) {
        if (request.messages().isEmpty()) {
            throw ApiError.badRequest(null, "messages must not be empty");
        }
        return tokenizer.encode(ChatTemplate.render(
                request.messages(),
                request.tools(),
                request.body().path("add_generation_prompt").asBoolean(true),
                request.flag("continue_final_message")));
    }

    @Override
    public ObjectNode whole(Generation generation) {
        return answers.whole(generation);
    }

    @Override
    public Chunks chunks(Generation generation, Call call) {
        return new VllmChunks(options, answers, generation);
    }
}
