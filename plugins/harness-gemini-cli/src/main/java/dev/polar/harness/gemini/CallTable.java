package dev.polar.harness.gemini;

import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Whose call a call was, as seen on the wire of version 0.61.0. The first row that fits decides:
 *
 * <table>
 * <caption>Rows</caption>
 * <tr><th>seen</th><th>label</th></tr>
 * <tr><td>system text of the component that distils the history into a {@code <state_snapshot>}: it is asked for one, then asked what it left out</td><td>compaction, of the sub-agent
 * whose task the history begins with; else of whoever makes the next call with tools, which is the agent that has it done</td></tr>
 * <tr><td>no tools, while other calls of the session have some: the choice of a model where none was named, the check who speaks next, the search for loops, the correction of an edit, a
 * summary of a tool's output, a fetched page, a web search</td><td>auxiliary</td></tr>
 * <tr><td>the tool {@code complete_task}, which sub-agents alone have, and must end with</td><td>subagent, told apart by system text and task, which is their first user message: a last one may tell them that their time is up. One that
 * begins like the main agent's, with the session's context, was compacted: it is the sub-agent that was so last</td></tr>
 * <tr><td>an agent's first call after a compaction of its own, and all later ones</td><td>resumed</td></tr>
 * <tr><td>all else</td><td>main</td></tr>
 * </table>
 */
final class CallTable {
    private static final String SNAPSHOT =
            "You are a specialized system component responsible for distilling chat history";
    private static final String SUBAGENT_TOOL = "complete_task";
    private static final String CONTEXT = "<session_context>";

    private static final String MAIN = "";

    private final List<CallFacts> calls;
    private final boolean sessionHasTools;

    /** By system text and task. */
    private final Map<List<String>, String> subagents = new HashMap<>();

    private final Set<String> compacted = new HashSet<>();
    private String lastToCompact;

    private CallTable(List<CallFacts> calls) {
        this.calls = calls;
        this.sessionHasTools = calls.stream().anyMatch(call -> !call.tools().isEmpty());
    }

    static List<CallLabel> labels(List<CallFacts> calls) {
        var table = new CallTable(calls);
        return IntStream.range(0, calls.size()).mapToObj(table::label).toList();
    }

    private CallLabel label(int number) {
        var call = calls.get(number);
        if (call.system().contains(SNAPSHOT)) {
            var agent = compacting(number);
            compacted.add(agent);
            lastToCompact = agent.equals(MAIN) ? lastToCompact : agent;
            return label(agent, "compaction");
        }
        if (sessionHasTools && call.tools().isEmpty()) {
            return CallLabel.AUXILIARY;
        }
        var agent = isSubagent(call) ? subagent(call) : MAIN;
        return label(agent, compacted.contains(agent) ? "resumed" : null);
    }

    private static CallLabel label(String agent, String segmentKind) {
        return agent.equals(MAIN)
                ? new CallLabel("main", null, segmentKind)
                : new CallLabel("subagent", agent, segmentKind);
    }

    private String compacting(int number) {
        var task = calls.get(number).firstUser();
        return subagents.entrySet().stream()
                .filter(known -> known.getKey().getLast().equals(task))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseGet(() -> lastToCompact != null && isSubagents(number) ? lastToCompact : MAIN);
    }

    /** The main agent waits while its sub-agents work, so that the next call tells. */
    private boolean isSubagents(int number) {
        return calls.stream()
                .skip(number + 1L)
                .filter(call -> !call.tools().isEmpty())
                .findFirst()
                .map(CallTable::isSubagent)
                .orElse(false);
    }

    private static boolean isSubagent(CallFacts call) {
        return call.tools().contains(SUBAGENT_TOOL);
    }

    private String subagent(CallFacts call) {
        return lastToCompact != null && call.firstUser().stripLeading().startsWith(CONTEXT)
                ? lastToCompact
                : subagents.computeIfAbsent(
                        List.of(call.system(), call.firstUser()), first -> "subagent-" + (subagents.size() + 1));
    }
}
