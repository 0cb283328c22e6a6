package dev.polar.proxy;

import dev.polar.inference.EngineException;

/**
 * Why a call has no answer, before a dialect words it.
 *
 * @param status HTTP status
 * @param message for the agent
 * @param overflow the context window is full: told in the words that agents recognise
 * @param param the key that is wrong, or null
 * @param retryAfter the engine's header, or null
 * @param code the exact code that agents of OpenAI's look for, or null where the status says it all
 */
record Fault(int status, String message, boolean overflow, String param, String retryAfter, String code) {
    static Fault of(int status, String message) {
        return new Fault(status, message, false, null, null, null);
    }

    /** A request that is wrong at {@code path}. */
    static Fault invalid(String path, String problem) {
        return new Fault(400, path.isEmpty() ? problem : path + ": " + problem, false, path, null, null);
    }

    /** A request that names what is not there. */
    static Fault missing(String param, String code, String message) {
        return new Fault(400, message, false, param, null, code);
    }

    static Fault of(EngineException failure) {
        return switch (failure.kind()) {
            case OVERFLOW -> new Fault(400, failure.getMessage(), true, failure.param(), null, null);
            case ABORTED -> of(503, "the session has ended: the call was stopped");
            case REFUSED, FAILED, UNREACHABLE, BROKEN, SILENT ->
                new Fault(failure.status(), failure.getMessage(), false, failure.param(), failure.retryAfter(), null);
        };
    }
}
