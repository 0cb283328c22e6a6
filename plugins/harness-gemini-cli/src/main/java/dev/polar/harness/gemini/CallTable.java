package dev.polar.harness.gemini;

import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * Whose call a call was, as seen on the wire of version 0.61.0. The first row that fits decides:
 *
 * <table>
 * <caption>Rows</caption>
 * <tr><th>seen</th><th>label</th></tr>
 * <tr><td>system text of the component that distils the history into a {@code <state_snapshot>}: it is asked for one, then asked what it left out</td><td>compaction, of the sub-agent
 * whose history begins as this one does; else of the main agent</td></tr>
 * <tr><td>no tools, while other calls of the session have some: the choice of a model where none was named, the check who speaks next, the search for loops, the correction of an edit, a
 * summary of a tool's output, a fetched page, a web search</td><td>auxiliary</td></tr>
 * <tr><td>the tool {@code complete_task}, which sub-agents alone have, and must end with</td><td>subagent, told apart by system text and task, which is their first user message: a last one may tell them that their time is up. After a
 * compaction the snapshot stands in the task's place: it is the sub-agent that has waited longest for one</td></tr>
 * <tr><td>a call of a sub-agent whose history begins with a snapshot; the main agent's after a compaction of its own</td><td>resumed</td></tr>
 * <tr><td>all else</td><td>main</td></tr>
 * </table>
 */
final class CallTable {
    private static final String SNAPSHOT =
            "You are a specialized system component responsible for distilling chat history";
    private static final String SUBAGENT_TOOL = "complete_task";
    private static final String SUMMARY = "<state_snapshot>";
    private static final String MAIN = "";

    private final boolean sessionHasTools;

    /** By system text and first user message. */
    private final Map<List<String>, String> subagents = new HashMap<>();

    /** Sub-agents whose history was summed up and that did not go on yet. */
    private final LinkedHashSet<String> waiting = new LinkedHashSet<>();

    private boolean mainCompacted;
    private int count;

    private CallTable(boolean sessionHasTools) {
        this.sessionHasTools = sessionHasTools;
    }

    static List<CallLabel> labels(List<CallFacts> calls) {
        var table = new CallTable(calls.stream().anyMatch(call -> !call.tools().isEmpty()));
        return calls.stream().map(table::label).toList();
    }

    private CallLabel label(CallFacts call) {
        if (call.system().contains(SNAPSHOT)) {
            var agent = compacting(call.firstUser());
            if (agent.equals(MAIN)) {
                mainCompacted = true;
            } else {
                waiting.add(agent);
            }
            return label(agent, "compaction");
        }
        if (sessionHasTools && call.tools().isEmpty()) {
            return CallLabel.AUXILIARY;
        }
        if (!call.tools().contains(SUBAGENT_TOOL)) {
            return label(MAIN, mainCompacted ? "resumed" : null);
        }
        var agent = subagent(call);
        waiting.remove(agent);
        return label(agent, call.firstUser().contains(SUMMARY) ? "resumed" : null);
    }

    private static CallLabel label(String agent, String segmentKind) {
        return agent.equals(MAIN)
                ? new CallLabel("main", null, segmentKind)
                : new CallLabel("subagent", agent, segmentKind);
    }

    private String compacting(String firstUser) {
        return subagents.entrySet().stream()
                .filter(known -> known.getKey().getLast().equals(firstUser))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(MAIN);
    }

    private String subagent(CallFacts call) {
        return subagents.computeIfAbsent(
                List.of(call.system(), call.firstUser()),
                _ -> call.firstUser().contains(SUMMARY) && !waiting.isEmpty() ? waiting.getFirst() : another());
    }

    private String another() {
        return "subagent-" + ++count;
    }
}
