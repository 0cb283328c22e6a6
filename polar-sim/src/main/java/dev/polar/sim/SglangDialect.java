package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.StreamSupport;

/** SGLang 0.5.23. */
final class SglangDialect implements Dialect {
    private static final List<String> ID_HEADERS = List.of("input", "output");

    private final SimOptions options;
    private final SglangChecks checks;
    private final SglangAnswers answers;
    private final SglangEndpoints endpoints;
    private final Supplier<IdInput> idInput;

    SglangDialect(SimOptions options, Scheduler scheduler, Supplier<IdInput> idInput) {
        this.options = options;
        this.idInput = idInput;
        this.checks = new SglangChecks(options);
        this.answers = new SglangAnswers(options);
        this.endpoints = new SglangEndpoints(options, checks, scheduler);
    }

    @Override
    public void addRoutes(Routes routes) {
        endpoints.addTo(routes);
    }

    @Override
    public ObjectNode error(ApiError error) {
        return Json.object()
                .put("object", "error")
                .put("message", error.getMessage())
                .put("type", error.type())
                .put("param", error.param())
                .put("code", error.status());
    }

    @Override
    public ObjectNode streamError(ApiError error) {
        return Json.object().set("error", error(error));
    }

    @Override
    public ApiError engineDied() {
        return new ApiError(500, "INTERNAL_SERVER_ERROR", null, "Generation aborted.");
    }

    /** Headers ask for ids just as the body's flags do. */
    @Override
    public ChatRequest read(Call call) {
        ChatRequest request = checks.read(call);
        for (String side : ID_HEADERS) {
            if (call.header("x-sglext-return-" + side + "-ids").equals("1")) {
                ((ObjectNode) request.body()).put("return_" + side + "_ids_in_sglext", true);
            }
        }
        return request;
    }

    @Override
    public String requestId(Call call, ChatRequest request) {
        String given = request.body().path("rid").asText("");
        return given.isEmpty() ? Ids.hex(32) : given;
    }

    /** Ids given in {@code input_ids} replace the messages, media included; they are not checked against the vocabulary. */
    @Override
    public int[] promptIds(ChatRequest request) {
        JsonNode given = request.body().path("input_ids");
        boolean taken = switch (idInput.get()) {
            case TAKEN -> given.isArray();
            case IGNORED -> false;
            case REFUSED -> {
                checks.without("input_ids", request);
                yield false;
            }
        };
        if (taken && given.isEmpty()) {
            throw new ApiError(400, "BadRequest", null, "input_ids cannot be empty.");
        }
        int[] ids = taken
                ? StreamSupport.stream(given.spliterator(), false)
                        .mapToInt(JsonNode::intValue)
                        .toArray()
                : SimTokenizer.shared().encode(render(request));
        checks.length(ids.length, request);
        return ids;
    }

    /** Tools that may not be called are not in the prompt either. */
    static String render(ChatRequest request) {
        boolean continues = request.flag("continue_final_message")
                && "assistant"
                        .equals(request.messages()
                                .path(request.messages().size() - 1)
                                .path("role")
                                .asText());
        return ChatTemplate.render(request.messages(), tools(request), true, continues);
    }

    private static JsonNode tools(ChatRequest request) {
        return switch (request.toolChoice()) {
            case ToolChoice.None() -> Json.array();
            case ToolChoice.Auto(), ToolChoice.Required() -> request.tools();
            case ToolChoice.Named(String name) -> {
                ArrayNode named = Json.array();
                request.tools().forEach(tool -> {
                    if (tool.path("function").path("name").asText().equals(name)) {
                        named.add(tool);
                    }
                });
                yield named;
            }
        };
    }

    @Override
    public ObjectNode whole(Generation generation) {
        return answers.whole(generation);
    }

    @Override
    public Chunks chunks(Generation generation, Call call) {
        return new SglangChunks(
                options, answers, generation, call.header("x-sglext-ids-framed").equals("1"));
    }
}
