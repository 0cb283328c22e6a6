package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Encodes an answer as a Responses object, which repeats most of what was asked. */
final class ResponsesEncoder {
    /** Repeated as they were asked for, null where they were not. */
    private static final List<String> ECHOED = List.of(
            "instructions",
            "max_output_tokens",
            "max_tool_calls",
            "previous_response_id",
            "prompt_cache_key",
            "safety_identifier",
            "user");

    private ResponsesEncoder() {}

    /** The finished answer: completed, or incomplete with the reason. */
    static ObjectNode answer(ChatCall call, Reply reply, List<ObjectNode> output) {
        var incomplete = incomplete(reply);
        var response = response(call, incomplete == null ? "completed" : "incomplete");
        if (incomplete != null) {
            response.putObject("incomplete_details").put("reason", incomplete);
        }
        if (call.model().isEmpty()) {
            response.put("model", reply.answer().body().path("model").asText(""));
        }
        response.putArray("output").addAll(output);
        response.set("usage", usage(reply));
        return response;
    }

    /** Why an answer is not whole, or null. */
    private static String incomplete(Reply reply) {
        return switch (reply.finishReason()) {
            case "length" -> "max_output_tokens";
            case "content_filter" -> "content_filter";
            default -> null;
        };
    }

    static ObjectNode failed(ChatCall call, Fault fault) {
        var response = response(call, "failed");
        response.putObject("error").put("code", code(fault)).put("message", fault.message());
        return response;
    }

    /** The codes that agents act upon. */
    private static String code(Fault fault) {
        if (fault.overflow()) {
            return "context_length_exceeded";
        }
        return fault.status() == 400 || fault.status() == 422 ? "invalid_prompt" : "server_error";
    }

    /** An answer without output. */
    static ObjectNode response(ChatCall call, String status) {
        var asked = ResponsesCall.of(call);
        var body = asked.asked();
        var response = JsonNodeFactory.instance.objectNode();
        response.put("id", asked.responseId());
        response.put("object", "response");
        response.put("created_at", asked.createdAt());
        response.put("status", status);
        response.put("background", false);
        response.putNull("error");
        response.putNull("incomplete_details");
        response.put("model", call.model());
        response.putArray("output");
        for (var key : ECHOED) {
            response.set(key, body.hasNonNull(key) ? body.get(key) : JsonNodeFactory.instance.nullNode());
        }
        echo(response, body, "metadata", JsonNodeFactory.instance.objectNode());
        response.put("parallel_tool_calls", !call.wishes().oneToolCall());
        response.set("reasoning", reasoning(body));
        echo(response, body, "service_tier", JsonNodeFactory.instance.textNode("default"));
        response.put("store", asked.stored());
        echo(response, body, "temperature", JsonNodeFactory.instance.numberNode(1.0));
        response.set("text", text(body));
        echo(response, body, "tool_choice", JsonNodeFactory.instance.textNode("auto"));
        echo(response, body, "tools", JsonNodeFactory.instance.arrayNode());
        response.put("top_logprobs", call.wishes().topLogprobs());
        echo(response, body, "top_p", JsonNodeFactory.instance.numberNode(1.0));
        echo(response, body, "truncation", JsonNodeFactory.instance.textNode("disabled"));
        response.putNull("usage");
        return response;
    }

    private static void echo(ObjectNode response, ObjectNode body, String key, JsonNode without) {
        response.set(key, body.hasNonNull(key) ? body.get(key) : without);
    }

    private static ObjectNode reasoning(ObjectNode body) {
        var asked = body.path("reasoning");
        var reasoning = JsonNodeFactory.instance.objectNode();
        reasoning.put("effort", asked.path("effort").textValue());
        reasoning.put("summary", asked.path("summary").textValue());
        return reasoning;
    }

    private static ObjectNode text(ObjectNode body) {
        var asked = body.path("text");
        var text = JsonNodeFactory.instance.objectNode();
        if (asked.path("format").isObject()) {
            text.set("format", asked.get("format"));
        } else {
            text.putObject("format").put("type", "text");
        }
        text.put("verbosity", asked.path("verbosity").asText("medium"));
        return text;
    }

    /** With its details as objects: some agents read into them. */
    private static ObjectNode usage(Reply reply) {
        var usage = JsonNodeFactory.instance.objectNode();
        usage.put("input_tokens", reply.promptTokens());
        usage.putObject("input_tokens_details")
                .put("cached_tokens", reply.cachedTokens())
                .put("cache_write_tokens", 0);
        usage.put("output_tokens", reply.completionTokens());
        usage.putObject("output_tokens_details").put("reasoning_tokens", ChatEncoder.reasoningTokens(reply));
        usage.put("total_tokens", reply.promptTokens() + reply.completionTokens());
        return usage;
    }
}
