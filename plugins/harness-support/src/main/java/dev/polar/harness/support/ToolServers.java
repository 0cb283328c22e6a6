package dev.polar.harness.support;

import dev.polar.spi.McpServer;
import dev.polar.spi.Runtime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code agent.mcp_servers} in the words of an agent's own configuration. */
public final class ToolServers {
    /** How an agent writes a server of each transport. */
    public interface Words {
        Map<String, Object> stdio(String command, List<String> arguments);

        Map<String, Object> sse(String url);

        Map<String, Object> streamableHttp(String url);
    }

    private ToolServers() {}

    /**
     * By name, in the task's order.
     *
     * @param runtime a word of a command that is a path in {@code /polar/session} is spelled as its processes must: no shell reads these
     */
    public static Map<String, Object> byName(List<McpServer> servers, Runtime runtime, Words words) {
        var byName = new LinkedHashMap<String, Object>();
        for (var server : servers) {
            byName.put(
                    server.name(),
                    switch (server.transport()) {
                        case STDIO ->
                            words.stdio(
                                    runtime.path(server.command()),
                                    server.args().stream().map(runtime::path).toList());
                        case SSE -> words.sse(server.url());
                        case STREAMABLE_HTTP -> words.streamableHttp(server.url());
                    });
        }
        return byName;
    }
}
