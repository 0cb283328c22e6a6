package dev.polar.harness.claude;

import dev.polar.harness.support.ToolServers;
import java.util.List;
import java.util.Map;

/** A tool server in the words of {@code --mcp-config}. */
enum ServerWords implements ToolServers.Words {
    WORDS;

    @Override
    public Map<String, Object> stdio(String command, List<String> arguments) {
        return Map.of("type", "stdio", "command", command, "args", arguments);
    }

    @Override
    public Map<String, Object> sse(String url) {
        return Map.of("type", "sse", "url", url);
    }

    @Override
    public Map<String, Object> streamableHttp(String url) {
        return Map.of("type", "http", "url", url);
    }
}
