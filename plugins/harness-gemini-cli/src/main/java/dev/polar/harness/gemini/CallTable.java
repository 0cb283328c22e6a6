package dev.polar.harness.gemini;

import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import java.util.HashMap;
import java.util.List;

/**
 * Whose call a call was, as seen on the wire of version 0.61.0. The first row that fits decides:
 *
 * <table>
 * <caption>Rows</caption>
 * <tr><th>seen</th><th>label</th></tr>
 * <tr><td>system text of the component that distils the history into a {@code <state_snapshot>}: it is asked for one, then asked what it left out</td><td>compaction, of the main agent</td></tr>
 * <tr><td>no tools, while other calls of the session have some: the choice of a model where none was named, the check who speaks next, the search for loops, the correction of an edit, a
 * summary of a tool's output, a fetched page, a web search</td><td>auxiliary</td></tr>
 * <tr><td>the tool {@code complete_task}, which sub-agents alone have, and must end with</td><td>subagent, told apart by system text and task, which is their first user message: a last one may tell them that their time is up</td></tr>
 * <tr><td>the main agent's first call after a compaction, and all later ones</td><td>resumed</td></tr>
 * <tr><td>all else</td><td>main</td></tr>
 * </table>
 */
final class CallTable {
    private static final String SNAPSHOT =
            "You are a specialized system component responsible for distilling chat history";
    private static final String SUBAGENT_TOOL = "complete_task";

    private final boolean sessionHasTools;
    private final HashMap<List<String>, String> subagents = new HashMap<>();
    private boolean compacted;

    private CallTable(boolean sessionHasTools) {
        this.sessionHasTools = sessionHasTools;
    }

    static List<CallLabel> labels(List<CallFacts> calls) {
        var table = new CallTable(calls.stream().anyMatch(call -> !call.tools().isEmpty()));
        return calls.stream().map(table::label).toList();
    }

    private CallLabel label(CallFacts call) {
        if (call.system().contains(SNAPSHOT)) {
            compacted = true;
            return new CallLabel("main", null, "compaction");
        }
        if (sessionHasTools && call.tools().isEmpty()) {
            return CallLabel.AUXILIARY;
        }
        if (call.tools().contains(SUBAGENT_TOOL)) {
            return new CallLabel("subagent", subagent(call), null);
        }
        return compacted ? new CallLabel("main", null, "resumed") : CallLabel.MAIN;
    }

    private String subagent(CallFacts call) {
        return subagents.computeIfAbsent(
                List.of(call.system(), call.firstUser()), first -> "subagent-" + (subagents.size() + 1));
    }
}
