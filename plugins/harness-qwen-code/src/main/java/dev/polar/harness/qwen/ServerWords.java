package dev.polar.harness.qwen;

import dev.polar.harness.support.ToolServers;
import java.util.List;
import java.util.Map;

/**
 * A tool server in the words of {@code mcpServers}: {@code url} means SSE there, {@code httpUrl} streamable HTTP. Its tools are offered from the start, as other agents do; left alone, this one
 * tells their names and has the model look them up.
 */
enum ServerWords implements ToolServers.Words {
    WORDS;

    @Override
    public Map<String, Object> stdio(String command, List<String> arguments) {
        return Map.of("command", command, "args", arguments, "trust", true, "alwaysLoadTools", true);
    }

    @Override
    public Map<String, Object> sse(String url) {
        return Map.of("url", url, "trust", true, "alwaysLoadTools", true);
    }

    @Override
    public Map<String, Object> streamableHttp(String url) {
        return Map.of("httpUrl", url, "trust", true, "alwaysLoadTools", true);
    }
}
