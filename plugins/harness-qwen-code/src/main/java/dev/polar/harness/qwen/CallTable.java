package dev.polar.harness.qwen;

import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import java.util.ArrayList;
import java.util.List;

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
 * <tr><td>any other system prompt</td><td>subagent, told apart by system prompt and task: {@code subagent-1} and so on, as they appear (see {@link SubAgents})</td></tr>
 * </table>
 *
 * <p>Once somebody has compacted, a call of an agent whose history is shorter than before or ends with the summary, and all later calls of that agent, are {@code resumed}.
 */
final class CallTable {
    private static final String COMPACTION = "Then, produce the <state_snapshot> XML.";
    private static final String SCHEMA_TOOL = "respond_in_schema";
    private static final String MAIN = "You are Qwen Code";
    private static final String FORK = "Begin.";
    private static final List<String> HELPERS = List.of(
            "You are now acting as the managed memory extraction subagent",
            "You are performing a managed memory dream",
            "You are reviewing this conversation to extract reusable skills");

    private final Line main = new Line(null);
    private final Line fork = new Line("fork");
    private final SubAgents subAgents = new SubAgents();
    private final String mainSystem;
    private final boolean sessionHasTools;
    private boolean compacted;

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
            compacted = true;
            var asks = hasTools(call) ? owner(call) : main;
            asks.asked(call);
            return asks.label("compaction");
        }
        if (sessionHasTools && (!hasTools(call) || isHelper(call))) {
            return CallLabel.AUXILIARY;
        }
        var line = owner(call);
        line.saw(call, compacted);
        return line.label(line.resumed() ? "resumed" : null);
    }

    private Line owner(CallFacts call) {
        if (call.lastUser().equals(FORK)) {
            return fork;
        }
        boolean mains = !sessionHasTools
                || call.system().startsWith(MAIN)
                || call.system().equals(mainSystem);
        return mains ? main : subAgents.of(call);
    }

    private static boolean hasTools(CallFacts call) {
        return !call.tools().isEmpty() && !call.tools().equals(List.of(SCHEMA_TOOL));
    }

    private static boolean isHelper(CallFacts call) {
        return HELPERS.stream().anyMatch(call.system()::startsWith);
    }

    /** One agent's calls so far. */
    static final class Line {
        /** Opens a history that was compacted. */
        static final String RESUMED = "Resume the prior task using the summary above.";

        private final String agent;
        private String lastUser = "";
        private int messages;
        private boolean resumed;

        Line(String agent) {
            this.agent = agent;
        }

        /** For a summary: its own history and the request, where it has the agent's tools. */
        void asked(CallFacts call) {
            messages = Math.max(messages, hasTools(call) ? call.messages() - 1 : 0);
        }

        void saw(CallFacts call, boolean compacted) {
            resumed |=
                    compacted && (call.messages() < messages || call.lastUser().contains(RESUMED));
            messages = call.messages();
            lastUser = call.lastUser();
        }

        String lastUser() {
            return lastUser;
        }

        int messages() {
            return messages;
        }

        boolean resumed() {
            return resumed;
        }

        CallLabel label(String segmentKind) {
            return new CallLabel(agent == null ? "main" : "subagent", agent, segmentKind);
        }
    }
}
