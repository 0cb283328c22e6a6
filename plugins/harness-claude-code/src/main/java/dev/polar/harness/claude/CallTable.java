package dev.polar.harness.claude;

import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * Whose call a call was, as seen on the wire of version 2.1.197. The first row that fits decides:
 *
 * <table>
 * <caption>Rows</caption>
 * <tr><th>seen</th><th>label</th></tr>
 * <tr><td>no tools, while other calls of the session have some: session title, quota check ({@code quota}, one token), summary of a fetched web page, and the like</td><td>auxiliary</td></tr>
 * <tr><td>system text of the web search's side call, which offers the server's search tool alone</td><td>auxiliary</td></tr>
 * <tr><td>header {@code x-claude-code-agent-id}</td><td>subagent, told apart by it</td></tr>
 * <tr><td>the request for a summary of the conversation, as last user message, with or without tools</td><td>compaction, of whoever asks</td></tr>
 * <tr><td>any later call of an agent that has compacted</td><td>resumed</td></tr>
 * <tr><td>all else</td><td>main</td></tr>
 * </table>
 */
final class CallTable {
    static final String AGENT_HEADER = "x-claude-code-agent-id";

    private static final String COMPACTION = "Your task is to create a detailed summary of the conversation so far";
    private static final String WEB_SEARCH = "You are an assistant for performing a web search tool use";

    private CallTable() {}

    static List<CallLabel> labels(List<CallFacts> calls) {
        boolean tools = calls.stream().anyMatch(call -> !call.tools().isEmpty());
        var compacted = new HashSet<String>();
        var labels = new ArrayList<CallLabel>();
        for (var call : calls) {
            labels.add(label(call, tools, compacted));
        }
        return labels;
    }

    private static CallLabel label(CallFacts call, boolean sessionHasTools, HashSet<String> compacted) {
        boolean compaction = call.lastUser().contains(COMPACTION);
        boolean sideCall = sessionHasTools && call.tools().isEmpty() && !compaction;
        if (sideCall || call.system().contains(WEB_SEARCH)) {
            return CallLabel.AUXILIARY;
        }
        var agent = call.headers().get(AGENT_HEADER);
        var role = agent == null ? "main" : "subagent";
        if (compaction) {
            compacted.add(agent);
            return new CallLabel(role, agent, "compaction");
        }
        return new CallLabel(role, agent, compacted.contains(agent) ? "resumed" : null);
    }
}
