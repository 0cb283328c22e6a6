package dev.polar.harness.opencode;

import dev.polar.harness.support.ToolServers;
import dev.polar.spi.ApiType;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.ModelEndpoint;
import java.util.LinkedHashMap;
import java.util.Map;

/** The files of {@code ~/.config/opencode}, as version 1.18.33 takes them. */
final class Configuration {
    /** The provider's name; one that began with "opencode" would send other headers. */
    static final String PROVIDER = "polar";

    /** The variable that holds the key, so that no file does. */
    static final String KEY = "POLAR_MODEL_API_KEY";

    /** The library that plugins written for the agent use. */
    private static final String PLUGIN_LIBRARY = "@opencode-ai/plugin";

    private Configuration() {}

    /** {@code opencode.json}. */
    static Map<String, Object> of(HarnessContext<OpenCodeSettings> context) {
        var settings = context.settings();
        var configuration = new LinkedHashMap<String, Object>();
        configuration.put("provider", Map.of(PROVIDER, provider(context.endpoint(), settings)));
        configuration.put("permission", "allow");
        configuration.put("share", "disabled");
        configuration.put("autoupdate", false);
        configuration.put(
                "mcp", ToolServers.byName(context.agent().mcpServers(), context.runtime(), ServerWords.WORDS));
        var tools = new LinkedHashMap<String, Object>();
        settings.excludedTools().forEach(tool -> tools.put(tool, false));
        configuration.put("tools", tools);
        return configuration;
    }

    private static Map<String, Object> provider(ModelEndpoint endpoint, OpenCodeSettings settings) {
        var provider = new LinkedHashMap<String, Object>();
        provider.put("npm", library(settings.api()));
        provider.put("name", PROVIDER);
        provider.put("options", Map.of("baseURL", baseUrl(endpoint, settings.api()), "apiKey", "{env:" + KEY + "}"));
        // 0 is its word for a limit that it does not know.
        var limit = Map.of(
                "context", settings.contextWindow() == null ? 0 : settings.contextWindow(),
                "output", settings.maxOutputTokens() == null ? 0 : settings.maxOutputTokens());
        provider.put("models", Map.of(endpoint.model(), Map.of("name", endpoint.model(), "limit", limit)));
        return provider;
    }

    /** One of those that are built into the program: it would fetch any other from npm. */
    private static String library(ApiType api) {
        return switch (api) {
            case OPENAI_CHAT -> "@ai-sdk/openai-compatible";
            case OPENAI_RESPONSES -> "@ai-sdk/openai";
            case ANTHROPIC -> "@ai-sdk/anthropic";
            case GOOGLE -> "@ai-sdk/google";
        };
    }

    private static String baseUrl(ModelEndpoint endpoint, ApiType api) {
        return api == ApiType.GOOGLE ? endpoint.baseUrl() + "/v1beta" : endpoint.openAiBaseUrl();
    }

    /**
     * {@code package-lock.json} beside it. At each start the program installs the library for plugins into its folder, from npm, unless the folder has {@code node_modules} and a lock that names
     * the library. No session has a plugin; with these two it stays off the network.
     */
    static Map<String, Object> lock(String version) {
        return Map.of(
                "name",
                "opencode",
                "lockfileVersion",
                3,
                "packages",
                Map.of("", Map.of("dependencies", Map.of(PLUGIN_LIBRARY, version))));
    }
}
