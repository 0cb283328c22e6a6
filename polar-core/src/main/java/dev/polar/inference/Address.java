package dev.polar.inference;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What answers at a configured base URL. */
sealed interface Address {
    /** An engine. */
    record Engine() implements Address {}

    /**
     * SGLang's router. It drops the keys that ask for ids, so its workers are asked directly.
     *
     * @param workers their base URLs; may be empty
     */
    record Router(List<String> workers) implements Address {}

    /** Nobody, now. */
    record Silent() implements Address {}

    /** Reads {@code GET /workers} of a router; empty where it is no such list. Workers that prefill or decode only, or do not speak HTTP, cannot be asked for an answer and are left out. */
    static Optional<Address> ofWorkers(JsonNode answer) {
        if (!answer.path("workers").isArray()) {
            return Optional.empty();
        }
        var urls = new ArrayList<String>();
        for (var worker : answer.path("workers")) {
            if (worker.path("worker_type").asText("regular").equals("regular")) {
                add(urls, worker.path("url"));
            }
        }
        return Optional.of(new Router(List.copyOf(urls)));
    }

    /** Reads {@code GET /list_workers} of a router before version 0.2; empty where it is no such list. */
    static Optional<Address> ofUrls(JsonNode answer) {
        if (!answer.path("urls").isArray()) {
            return Optional.empty();
        }
        var urls = new ArrayList<String>();
        answer.path("urls").forEach(url -> add(urls, url));
        return Optional.of(new Router(List.copyOf(urls)));
    }

    private static void add(List<String> urls, JsonNode url) {
        var text = url.asText("");
        if (text.startsWith("http://") || text.startsWith("https://")) {
            urls.add(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
        }
    }
}
