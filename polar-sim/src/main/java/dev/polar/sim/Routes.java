package dev.polar.sim;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** What is served where. Filled before the server starts, read-only afterwards. */
final class Routes {
    /** Serves one call. */
    @FunctionalInterface
    interface Handler {
        /**
         * Answers {@code call}.
         *
         * @throws IOException when the caller is gone; the connection is then closed
         * @throws ApiError when the engine refuses
         */
        void handle(Call call) throws IOException, InterruptedException;
    }

    private final Map<String, Map<String, Handler>> handlers = new HashMap<>();

    Routes get(String path, Handler handler) {
        return on("GET", path, handler);
    }

    Routes post(String path, Handler handler) {
        return on("POST", path, handler);
    }

    /** For both methods. */
    Routes any(String path, Handler handler) {
        return get(path, handler).post(path, handler);
    }

    void serve(Call call) throws IOException, InterruptedException {
        Map<String, Handler> byMethod = handlers.getOrDefault(call.path(), Map.of());
        Handler handler = byMethod.get(call.method());
        if (handler != null) {
            handler.handle(call);
        } else if (byMethod.isEmpty()) {
            call.reply(404, Json.object().put("detail", "Not Found"));
        } else {
            call.reply(405, Json.object().put("detail", "Method Not Allowed"));
        }
    }

    /** For a method by name. */
    Routes on(String method, String path, Handler handler) {
        handlers.computeIfAbsent(path, ignored -> new HashMap<>()).put(method, handler);
        return this;
    }
}
