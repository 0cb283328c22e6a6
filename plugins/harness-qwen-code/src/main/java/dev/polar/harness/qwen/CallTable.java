package dev.polar.harness.qwen;

import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whose call a call was, as seen on the wire of version 0.24.4, which sends no header that tells. The first row that fits decides:
 *
 * <table>
 * <caption>Rows</caption>
 * <tr><th>seen</th><th>label</th></tr>
 * <tr><td>last user message ends with the request for a {@code <state_snapshot>}; the agent's own system prompt and tools, or, where they do not fit, a prompt for the summary alone and no
 * tools</td><td>compaction, of whose system prompt it is; main where it is nobody's</td></tr>
 * <tr><td>no tools, or {@code respond_in_schema} alone, while other calls of the session have some: titles, the summary of a fetched page, recall of memories, the next speaker</td><td>auxiliary</td></tr>
 * <tr><td>system prompt of the helpers that note facts or skills for later sessions ({@code You are now acting as the managed memory extraction subagent}, a memory dream, a review for
 * skills)</td><td>auxiliary</td></tr>
 * <tr><td>last user message {@code Begin.}: a copy of the main agent, with its history</td><td>subagent {@code fork}</td></tr>
 * <tr><td>{@code You are Qwen Code}, or the system prompt of the session's first call with tools</td><td>main</td></tr>
 * <tr><td>any other system prompt, which names the kind of agent</td><td>subagent, told apart by system prompt and first user message, which ends with the task: {@code subagent-1} and so on,
 * as they appear; where that message is a summary, the one of this system prompt that asked for one last</td></tr>
 * </table>
 *
 * <p>A call whose history begins with a summary is {@code resumed}.
 */
final class CallTable {
    private static final String COMPACTION = "Then, produce the <state_snapshot> XML.";
    private static final String RESUMED = "Resume the prior task using the summary above.";
    private static final String SCHEMA_TOOL = "respond_in_schema";
    private static final String MAIN = "You are Qwen Code";
    private static final String FORK = "Begin.";
    private static final List<String> HELPERS = List.of(
            "You are now acting as the managed memory extraction subagent",
            "You are performing a managed memory dream",
            "You are reviewing this conversation to extract reusable skills");

    private final String mainSystem;
    private final boolean sessionHasTools;
    private final Map<SubAgent, String> subAgents = new HashMap<>();

    /** By system prompt. */
    private final Map<String, String> lastToCompact = new HashMap<>();

    private CallTable(List<CallFacts> calls) {
        this.mainSystem = calls.stream()
                .filter(call -> hasTools(call) && !isHelper(call))
                .map(CallFacts::system)
                .findFirst()
                .orElse("");
        this.sessionHasTools = calls.stream().anyMatch(CallTable::hasTools);
    }

    static List<CallLabel> labels(List<CallFacts> calls) {
        var table = new CallTable(calls);
        var labels = new ArrayList<CallLabel>();
        for (var call : calls) {
            labels.add(table.label(call));
        }
        return labels;
    }

    private CallLabel label(CallFacts call) {
        if (call.lastUser().endsWith(COMPACTION)) {
            var agent = hasTools(call) ? agent(call) : null;
            lastToCompact.put(call.system(), agent);
            return label(agent, "compaction");
        }
        if (sessionHasTools && (!hasTools(call) || isHelper(call))) {
            return CallLabel.AUXILIARY;
        }
        return label(agent(call), isResumed(call) ? "resumed" : null);
    }

    private static CallLabel label(String agent, String segmentKind) {
        return new CallLabel(agent == null ? "main" : "subagent", agent, segmentKind);
    }

    /** Null for the main agent. */
    private String agent(CallFacts call) {
        if (call.lastUser().equals(FORK)) {
            return "fork";
        }
        if (!sessionHasTools || call.system().startsWith(MAIN) || call.system().equals(mainSystem)) {
            return null;
        }
        var compacted = isResumed(call) ? lastToCompact.get(call.system()) : null;
        return compacted != null
                ? compacted
                : subAgents.computeIfAbsent(
                        new SubAgent(call.system(), call.firstUser()), _ -> "subagent-" + (subAgents.size() + 1));
    }

    private static boolean hasTools(CallFacts call) {
        return !call.tools().isEmpty() && !call.tools().equals(List.of(SCHEMA_TOOL));
    }

    private static boolean isHelper(CallFacts call) {
        return HELPERS.stream().anyMatch(call.system()::startsWith);
    }

    private static boolean isResumed(CallFacts call) {
        return call.firstUser().contains(RESUMED);
    }

    private record SubAgent(String system, String firstUser) {}
}
