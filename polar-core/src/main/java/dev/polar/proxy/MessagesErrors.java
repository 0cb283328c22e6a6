package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Errors as Anthropic's API words them: {@code {"type": "error", "error": {type, message}}}. */
final class MessagesErrors {
    private MessagesErrors() {}

    static ObjectNode encode(Fault fault) {
        var body = JsonNodeFactory.instance.objectNode();
        body.put("type", "error");
        body.putObject("error")
                .put("type", type(fault.status()))
                .put("message", fault.overflow() ? overflow(fault.message()) : fault.message());
        body.put("request_id", "req_" + Reply.randomHex());
        return body;
    }

    private static String type(int status) {
        return switch (status) {
            case 401 -> "authentication_error";
            case 403 -> "permission_error";
            case 404, 501 -> "not_found_error";
            case 413 -> "request_too_large";
            case 429 -> "rate_limit_error";
            case 503, 529 -> "overloaded_error";
            case 504 -> "timeout_error";
            default -> status < 500 ? "invalid_request_error" : "api_error";
        };
    }

    /** The words by which agents know that the context is full: {@code prompt is too long: 208310 tokens > 200000 maximum}. */
    private static String overflow(String engines) {
        return ContextOverflow.of(engines)
                .map(over -> "prompt is too long: " + over.prompt() + " tokens > " + over.window() + " maximum")
                .orElse("prompt is too long: " + engines);
    }
}
