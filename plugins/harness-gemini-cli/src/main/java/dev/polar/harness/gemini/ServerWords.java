package dev.polar.harness.gemini;

import dev.polar.harness.support.ToolServers;
import java.util.List;
import java.util.Map;

/** A tool server in the words of {@code settings.json}: the key of the address says the transport. */
enum ServerWords implements ToolServers.Words {
    WORDS;

    @Override
    public Map<String, Object> stdio(String command, List<String> arguments) {
        return Map.of("command", command, "args", arguments);
    }

    @Override
    public Map<String, Object> sse(String url) {
        return Map.of("url", url);
    }

    @Override
    public Map<String, Object> streamableHttp(String url) {
        return Map.of("httpUrl", url);
    }
}
