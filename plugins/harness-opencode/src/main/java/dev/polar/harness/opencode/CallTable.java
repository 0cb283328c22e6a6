package dev.polar.harness.opencode;

import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whose call a call was, as seen on the wire of version 1.18.33, the same in each of its four dialects. The first row that fits decides:
 *
 * <table>
 * <caption>Rows</caption>
 * <tr><th>seen</th><th>label</th></tr>
 * <tr><td>system prompt {@code You are a context summarization agent}, no tools</td><td>compaction, of whoever's session it is</td></tr>
 * <tr><td>no other tools, while other calls of the session have some: the title ({@code You are a title generator})</td><td>auxiliary</td></tr>
 * <tr><td>header {@code x-parent-session-id}</td><td>subagent, told apart by {@code x-session-id}</td></tr>
 * <tr><td>any later call of a session that has compacted</td><td>resumed</td></tr>
 * <tr><td>all else</td><td>main</td></tr>
 * </table>
 */
final class CallTable {
    static final String SESSION_HEADER = "x-session-id";
    static final String PARENT_HEADER = "x-parent-session-id";

    private static final String COMPACTION = "You are a context summarization agent";

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

    private static CallLabel label(CallFacts call, boolean sessionHasTools, Set<String> compacted) {
        var agent = call.headers().containsKey(PARENT_HEADER) ? call.headers().get(SESSION_HEADER) : null;
        var role = agent == null ? "main" : "subagent";
        if (call.system().startsWith(COMPACTION)) {
            compacted.add(agent);
            return new CallLabel(role, agent, "compaction");
        }
        if (sessionHasTools && call.tools().isEmpty()) {
            return CallLabel.AUXILIARY;
        }
        return new CallLabel(role, agent, compacted.contains(agent) ? "resumed" : null);
    }
}
