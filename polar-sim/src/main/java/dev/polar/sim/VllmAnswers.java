package dev.polar.sim;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;

/** vLLM's whole answers: which keys are there, in which order, and which are null. */
final class VllmAnswers {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final SimOptions options;

    VllmAnswers(SimOptions options) {
        this.options = options;
    }

    ObjectNode whole(Generation generation) {
        ChatRequest request = generation.request();
        boolean withIds = request.flag("return_token_ids");
        ArrayNode choices = Json.array();
        for (int index = 0; index < generation.lines().size(); index++) {
            choices.add(choice(generation, index, withIds));
        }
        ObjectNode answer = Json.object()
                .put("id", generation.id())
                .put("object", "chat.completion")
                .put("created", Instant.now().getEpochSecond())
                .put("model", options.model());
        answer.set("choices", choices);
        answer.putNull("service_tier").put("system_fingerprint", fingerprint());
        answer.set("usage", usage(generation));
        answer.set("prompt_logprobs", PromptLogprobs.of(generation));
        answer.set("prompt_token_ids", Json.idsOrNull(withIds, generation.promptIds()));
        return answer.putNull("prompt_text")
                .putNull("kv_transfer_params")
                .putNull("ec_transfer_params")
                .putNull("metrics");
    }

    /** Names the version and, by a hash, how the server was launched. */
    String fingerprint() {
        return "vllm-0.32.0-%08x"
                .formatted((options.model() + options.contextLength() + options.reasoning() + options.toolParser())
                        .hashCode());
    }

    private ObjectNode choice(Generation generation, int index, boolean withIds) {
        ChatRequest request = generation.request();
        SampledLine line = generation.lines().get(index);
        HermesParser.Parsed parsed = HermesParser.parse(
                line.text(),
                options.reasoning(),
                options.toolParser() && !(request.toolChoice() instanceof ToolChoice.None));
        boolean hidesReasoning = !request.body().path("include_reasoning").asBoolean(true);
        ObjectNode choice = Json.object().put("index", index);
        choice.set("message", message(parsed, request, hidesReasoning));
        if (request.logprobs() && !hidesReasoning) {
            LogprobEntries entries = entries(generation);
            choice.set("logprobs", Json.object().set("content", entries.all(line.ids())));
        } else {
            choice.putNull("logprobs");
        }
        choice.put("finish_reason", finishReason(line.finish(), !parsed.calls().isEmpty(), request));
        stopReason(choice, line.finish());
        choice.set("token_ids", Json.idsOrNull(withIds && !hidesReasoning, line.ids()));
        return choice.putNull("routed_experts");
    }

    static LogprobEntries entries(Generation generation) {
        ChatRequest request = generation.request();
        return new LogprobEntries(
                SimEngine.VLLM,
                generation.promptIds(),
                request.topLogprobs(),
                request.flag("return_tokens_as_token_ids"));
    }

    /** A named call ends with the model's own reason; any other call says {@code tool_calls}. */
    static String finishReason(Finish finish, boolean called, ChatRequest request) {
        boolean saysSo = called
                && !(request.toolChoice() instanceof ToolChoice.Named)
                && !finish.reason().equals("abort");
        return saysSo ? "tool_calls" : finish.reason();
    }

    /** The stop string or stop id that was asked for; null for the end of the turn and all else. */
    static void stopReason(ObjectNode choice, Finish finish) {
        if (finish.matchedText() != null) {
            choice.put("stop_reason", finish.matchedText());
        } else if (finish.matchedId() >= 0
                && finish.matchedId() != SimTokenizer.shared().endOfTurn()) {
            choice.put("stop_reason", finish.matchedId());
        } else {
            choice.putNull("stop_reason");
        }
    }

    private static ObjectNode message(HermesParser.Parsed parsed, ChatRequest request, boolean hidesReasoning) {
        boolean called = !parsed.calls().isEmpty();
        String content = called && request.toolChoice().forced() ? "" : parsed.content();
        boolean nothing = content.isEmpty()
                && (called || parsed.reasoning() != null)
                && !request.toolChoice().forced();
        ObjectNode message = Json.object().put("role", "assistant");
        message.set("content", nothing ? NODES.nullNode() : NODES.textNode(content));
        message.putNull("refusal").putNull("annotations").putNull("audio").putNull("function_call");
        if (called) {
            ArrayNode calls = message.putArray("tool_calls");
            int count = request.parallelToolCalls() ? parsed.calls().size() : 1;
            parsed.calls().subList(0, count).forEach(call -> calls.add(call(call)));
        }
        return message.put("reasoning", hidesReasoning ? null : parsed.reasoning());
    }

    private static ObjectNode call(HermesParser.ParsedCall call) {
        ObjectNode node = Json.object().put("id", Ids.vllmTool()).put("type", "function");
        return node.set("function", Json.object().put("name", call.name()).put("arguments", call.arguments()));
    }

    private ObjectNode usage(Generation generation) {
        int sampled = generation.sampled();
        ObjectNode usage = Json.object()
                .put("prompt_tokens", generation.promptIds().length)
                .put("total_tokens", generation.promptIds().length + sampled)
                .put("completion_tokens", sampled)
                .putNull("prompt_tokens_details");
        if (options.reasoning()) {
            return usage.set(
                    "completion_tokens_details", Json.object().put("reasoning_tokens", reasoningTokens(generation)));
        }
        return usage.putNull("completion_tokens_details");
    }

    private static int reasoningTokens(Generation generation) {
        return generation.lines().stream()
                .mapToInt(line -> ReasoningCount.of(line.ids()))
                .sum();
    }
}
