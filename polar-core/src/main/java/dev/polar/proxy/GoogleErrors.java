package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Errors as Google's APIs word them: {@code {"error": {code, message, status}}}, with the wait before another try in the details. */
final class GoogleErrors {
    private GoogleErrors() {}

    static ObjectNode encode(Fault fault) {
        var body = JsonNodeFactory.instance.objectNode();
        var error = body.putObject("error")
                .put("code", fault.status())
                .put("message", fault.overflow() ? overflow(fault.message()) : fault.message())
                .put("status", status(fault.status()));
        if (fault.retryAfter() != null && fault.retryAfter().matches("\\d{1,9}")) {
            error.putArray("details")
                    .addObject()
                    .put("@type", "type.googleapis.com/google.rpc.RetryInfo")
                    .put("retryDelay", fault.retryAfter() + "s");
        }
        return body;
    }

    /** The canonical code's name. */
    private static String status(int status) {
        return switch (status) {
            case 401 -> "UNAUTHENTICATED";
            case 403 -> "PERMISSION_DENIED";
            case 404 -> "NOT_FOUND";
            case 409 -> "ABORTED";
            case 429 -> "RESOURCE_EXHAUSTED";
            case 499 -> "CANCELLED";
            case 501, 405 -> "UNIMPLEMENTED";
            case 502, 503, 529 -> "UNAVAILABLE";
            case 504 -> "DEADLINE_EXCEEDED";
            default -> status < 500 ? "INVALID_ARGUMENT" : "INTERNAL";
        };
    }

    /** The words by which agents know that the context is full. */
    private static String overflow(String engines) {
        return ContextOverflow.of(engines)
                .map(over -> "The input token count (" + over.prompt()
                        + ") exceeds the maximum number of tokens allowed (" + over.window() + ").")
                .orElse("The input token count exceeds the maximum number of tokens allowed. " + engines);
    }
}
