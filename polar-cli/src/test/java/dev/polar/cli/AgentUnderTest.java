package dev.polar.cli;

import dev.polar.sim.Answer;
import java.util.Map;

/**
 * An agent's row in the contract that all of them fulfil.
 *
 * @param harness {@code agent.harness}
 * @param settings that make it give up soon where a call fails again and again
 * @param env {@code agent.env}
 * @param hands how the model asks this agent to do things
 * @param parallel whether it takes several tool calls in one answer
 * @param toolServerCall the name under which it offers the tool {@code count} of the tool server {@code counter}; null where it takes no tool servers
 */
record AgentUnderTest(
        String harness,
        Map<String, Object> settings,
        Map<String, String> env,
        Hands hands,
        boolean parallel,
        String toolServerCall) {
    /** Tool calls as this agent offers them. Paths are absolute. */
    interface Hands {
        /** Runs a command line. */
        Answer.Call run(String command);

        /** Writes a file that is not there yet. */
        Answer.Call write(String path, String content);
    }
}
