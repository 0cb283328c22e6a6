package dev.polar.harness.gemini;

import dev.polar.harness.support.ToolServers;
import dev.polar.spi.HarnessContext;
import java.util.LinkedHashMap;
import java.util.Map;

/** The agent's own {@code settings.json}: nothing is sent or fetched but model calls, and nobody is asked. */
final class UserSettings {
    private UserSettings() {}

    static Map<String, Object> of(HarnessContext<GeminiCliSettings> context) {
        var settings = context.settings();
        var all = new LinkedHashMap<String, Object>();
        all.put("security", Map.of("auth", Map.of("selectedType", "gemini-api-key")));
        all.put("privacy", Map.of("usageStatisticsEnabled", false));
        all.put("telemetry", Map.of("enabled", false));
        all.put(
                "general",
                Map.of(
                        "enableAutoUpdate",
                        false,
                        "enableAutoUpdateNotification",
                        false,
                        "maxAttempts",
                        settings.maxAttempts()));
        all.put("model", model(settings));
        all.put("experimental", Map.of("enableAgents", settings.subagents()));
        if (!settings.disallowedTools().isEmpty()) {
            all.put("tools", Map.of("exclude", settings.disallowedTools()));
        }
        var servers = context.agent().mcpServers();
        if (!servers.isEmpty()) {
            all.put("mcpServers", ToolServers.byName(servers, context.runtime(), ServerWords.WORDS));
        }
        return all;
    }

    private static Map<String, Object> model(GeminiCliSettings settings) {
        var model = new LinkedHashMap<String, Object>();
        model.put("skipNextSpeakerCheck", !settings.nextSpeakerCheck());
        model.put("disableLoopDetection", !settings.loopDetection());
        if (settings.maxTurns() != null) {
            model.put("maxSessionTurns", settings.maxTurns());
        }
        if (settings.compactAtTokens() != null) {
            model.put("compressionThreshold", settings.compactAtTokens() / (double) GeminiCliSettings.ASSUMED_WINDOW);
        }
        return model;
    }
}
