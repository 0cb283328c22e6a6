package dev.polar.harness.codex;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import dev.polar.harness.support.ToolServers;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.HarnessContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One session's {@code config.toml}: one model provider, nothing to ask a person for, nothing fetched from elsewhere. */
final class Configuration {
    /** Where the program finds the session's key. */
    static final String KEY = "POLAR_CODEX_KEY";

    private static final TomlMapper TOML = new TomlMapper();
    private static final String PROVIDER = "polar";

    private Configuration() {}

    static String toml(HarnessContext<CodexSettings> context) {
        var config = settings(context.settings());
        config.put("model_providers", Map.of(PROVIDER, provider(context)));
        var servers = context.agent().mcpServers();
        if (!servers.isEmpty()) {
            config.put("mcp_servers", ToolServers.byName(servers, context.runtime(), SERVER_WORDS));
        }
        try {
            return TOML.writeValueAsString(laidOver(config, context.settings().config()));
        } catch (JacksonException unwritable) {
            throw new ExtensionException(
                    Category.REQUEST,
                    "codex: agent.settings.config cannot be written as TOML: " + unwritable.getOriginalMessage(),
                    unwritable);
        }
    }

    private static Map<String, Object> settings(CodexSettings settings) {
        var config = new LinkedHashMap<String, Object>();
        config.put("model_provider", PROVIDER);
        config.put("approval_policy", "never");
        config.put("sandbox_mode", "danger-full-access");
        config.put("check_for_update_on_startup", false);
        // A search that the model's maker would run.
        config.put("web_search", "disabled");
        config.put("analytics", Map.of("enabled", false));
        // Both would look up outside hosts.
        config.put("features", Map.of("plugins", false, "apps", false));
        put(config, "model_reasoning_effort", settings.reasoningEffort());
        put(config, "model_context_window", settings.contextWindow());
        put(config, "model_auto_compact_token_limit", settings.autoCompactTokens());
        return config;
    }

    private static Map<String, Object> provider(HarnessContext<CodexSettings> context) {
        var settings = context.settings();
        var provider = new LinkedHashMap<String, Object>();
        provider.put("name", "Polar");
        provider.put("base_url", context.endpoint().openAiBaseUrl());
        provider.put("wire_api", "responses");
        provider.put("env_key", KEY);
        provider.put("request_max_retries", settings.requestMaxRetries());
        provider.put("stream_max_retries", settings.streamMaxRetries());
        provider.put("stream_idle_timeout_ms", settings.streamIdleTimeoutMs());
        return provider;
    }

    private static void put(Map<String, Object> config, String key, Object value) {
        if (value != null) {
            config.put(key, value);
        }
    }

    /** Tables are merged; all else of {@code over} replaces what is there. */
    private static Map<String, Object> laidOver(Map<?, ?> under, Map<?, ?> over) {
        var merged = new LinkedHashMap<String, Object>();
        under.forEach((key, value) -> merged.put(key.toString(), value));
        over.forEach((key, value) -> merged.merge(
                key.toString(),
                value,
                (old, added) -> old instanceof Map<?, ?> table && added instanceof Map<?, ?> more
                        ? laidOver(table, more)
                        : added));
        return merged;
    }

    private static final ToolServers.Words SERVER_WORDS = new ToolServers.Words() {
        @Override
        public Map<String, Object> stdio(String command, List<String> arguments) {
            return Map.of("command", command, "args", arguments);
        }

        @Override
        public Map<String, Object> sse(String url) {
            throw new ExtensionException(
                    Category.REQUEST,
                    "agent.mcp_servers: codex takes no server of transport sse (" + url
                            + "): use streamable-http or stdio");
        }

        @Override
        public Map<String, Object> streamableHttp(String url) {
            return Map.of("url", url);
        }
    };
}
