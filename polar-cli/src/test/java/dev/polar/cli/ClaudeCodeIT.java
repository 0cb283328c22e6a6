package dev.polar.cli;

import dev.polar.sim.Answer;
import java.util.Map;

/** The real Claude Code. */
class ClaudeCodeIT extends AgentContract {
    private static final AgentUnderTest CLAUDE_CODE = new AgentUnderTest(
            "claude_code",
            Map.of("max_retries", 1),
            Map.of(),
            new AgentUnderTest.Hands() {
                @Override
                public Answer.Call run(String command) {
                    return AgentScript.call("Bash", Map.of("command", command, "description", "Do it"));
                }

                @Override
                public Answer.Call write(String path, String content) {
                    return AgentScript.call("Write", Map.of("file_path", path, "content", content));
                }
            },
            true,
            "mcp__counter__count",
            true,
            false);

    @Override
    AgentUnderTest agent() {
        return CLAUDE_CODE;
    }
}
