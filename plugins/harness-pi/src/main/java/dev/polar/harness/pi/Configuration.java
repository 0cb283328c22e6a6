package dev.polar.harness.pi;

import dev.polar.spi.ApiType;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.ModelEndpoint;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One session's {@code models.json} and {@code settings.json}. */
final class Configuration {
    static final String PROVIDER = "polar";
    /** Where the program finds the session's key: a value that names a variable is looked up. */
    static final String KEY = "POLAR_PI_KEY";

    private Configuration() {}

    static Map<String, Object> models(HarnessContext<PiSettings> context) {
        var settings = context.settings();
        var model = new LinkedHashMap<String, Object>();
        model.put("id", context.endpoint().model());
        model.put("reasoning", !settings.thinking().equals("off"));
        model.put("input", settings.images() ? List.of("text", "image") : List.of("text"));
        model.put("contextWindow", settings.contextWindow());
        model.put("maxTokens", settings.maxOutputTokens());
        var provider = new LinkedHashMap<String, Object>();
        provider.put("baseUrl", base(settings.api(), context.endpoint()));
        provider.put("api", word(settings.api()));
        provider.put("apiKey", KEY);
        provider.put("models", List.of(model));
        return Map.of("providers", Map.of(PROVIDER, provider));
    }

    static Map<String, Object> settings(PiSettings settings) {
        var retry = Map.of(
                "enabled", settings.maxRetries() > 0,
                "maxRetries", settings.maxRetries(),
                "baseDelayMs", settings.retryDelayMs(),
                // The agent retries, so its provider's library need not: each would multiply the other's tries.
                "provider", Map.of("maxRetries", 0, "timeoutMs", settings.apiTimeoutMs()));
        return Map.of(
                "compaction",
                Map.of("enabled", settings.compaction()),
                "retry",
                retry,
                "enableInstallTelemetry",
                false);
    }

    /** What the program calls a dialect. */
    private static String word(ApiType api) {
        return switch (api) {
            case OPENAI_CHAT -> "openai-completions";
            case OPENAI_RESPONSES -> "openai-responses";
            case ANTHROPIC -> "anthropic-messages";
            case GOOGLE -> "google-generative-ai";
        };
    }

    /** What it puts a dialect's own paths after. */
    private static String base(ApiType api, ModelEndpoint endpoint) {
        return switch (api) {
            case OPENAI_CHAT, OPENAI_RESPONSES -> endpoint.openAiBaseUrl();
            case ANTHROPIC -> endpoint.baseUrl().toString();
            case GOOGLE -> endpoint.baseUrl() + "/v1beta";
        };
    }
}
