package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Errors as OpenAI's APIs word them: {@code {"error": {message, type, param, code}}}. */
final class OpenAiErrors {
    private OpenAiErrors() {}

    static ObjectNode encode(Fault fault) {
        var body = JsonNodeFactory.instance.objectNode();
        var error = body.putObject("error");
        error.put("message", fault.message());
        error.put("type", type(fault.status()));
        error.put("param", fault.overflow() ? "messages" : fault.param());
        error.put("code", code(fault));
        return body;
    }

    private static String type(int status) {
        return switch (status) {
            case 401 -> "authentication_error";
            case 403 -> "permission_error";
            case 429 -> "rate_limit_error";
            default -> status < 500 ? "invalid_request_error" : "server_error";
        };
    }

    private static String code(Fault fault) {
        if (fault.overflow()) {
            return "context_length_exceeded";
        }
        if (fault.code() != null) {
            return fault.code();
        }
        return switch (fault.status()) {
            case 401 -> "invalid_api_key";
            case 404 -> "not_found";
            case 413 -> "request_too_large";
            case 429 -> "rate_limit_exceeded";
            case 501 -> "unsupported";
            default -> null;
        };
    }
}
