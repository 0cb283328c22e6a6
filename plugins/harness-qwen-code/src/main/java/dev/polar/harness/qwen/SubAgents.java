package dev.polar.harness.qwen;

import dev.polar.harness.qwen.CallTable.Line;
import dev.polar.spi.CallFacts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The sub-agents of a session. Within a system prompt, which names the kind of agent, the last user message tells them apart: it is the task, and stays the last one while the sub-agent works.
 * It changes only by what is sent to it meanwhile, which its history, longer than before, gives away; and by a compaction, after which it begins with the summary.
 */
final class SubAgents {
    /** What opens a sub-agent's first call: the system prompt, what it is told of the place, the task. */
    private static final int OPENING = 3;

    private final Map<String, List<Line>> bySystem = new HashMap<>();
    private int count;

    Line of(CallFacts call) {
        var lines = bySystem.computeIfAbsent(call.system(), none -> new ArrayList<>());
        for (var line : lines) {
            if (line.lastUser().equals(call.lastUser())) {
                return line;
            }
        }
        for (var line : lines.reversed()) {
            boolean grown = call.messages() > OPENING && call.messages() > line.messages();
            if (grown || call.lastUser().contains(Line.RESUMED)) {
                return line;
            }
        }
        var line = new Line("subagent-" + ++count);
        lines.add(line);
        return line;
    }
}
