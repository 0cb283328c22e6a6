package dev.polar.harness.opencode;

import dev.polar.harness.support.ToolServers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A tool server in the words of {@code mcp}. A remote one is tried as streamable HTTP first, then as SSE, whichever it is. */
enum ServerWords implements ToolServers.Words {
    WORDS;

    @Override
    public Map<String, Object> stdio(String command, List<String> arguments) {
        var words = new ArrayList<String>();
        words.add(command);
        words.addAll(arguments);
        return Map.of("type", "local", "command", words, "enabled", true);
    }

    @Override
    public Map<String, Object> sse(String url) {
        return remote(url);
    }

    @Override
    public Map<String, Object> streamableHttp(String url) {
        return remote(url);
    }

    private static Map<String, Object> remote(String url) {
        return Map.of("type", "remote", "url", url, "enabled", true, "oauth", false);
    }
}
