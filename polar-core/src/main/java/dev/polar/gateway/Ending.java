package dev.polar.gateway;

import dev.polar.spi.AgentEnding;
import dev.polar.spi.AgentOutcome;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.SessionStatus;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How the agent's part of a session ended.
 *
 * @param status COMPLETED, ERROR or TIMEOUT
 * @param error null where it completed
 * @param agentTimeout true where the agent used up its own {@code agent_timeout}
 * @param last the last command's result; null where the run was cut off, so that there is nothing for the harness to collect
 * @param result {@code trajectory.metadata.agent_result}
 * @param traceMetadata what the harness states of each trace
 */
record Ending(
        SessionStatus status,
        String error,
        boolean agentTimeout,
        ExecResult last,
        Map<String, Object> result,
        Map<String, Object> traceMetadata) {

    /** All commands were run, or one failed: the harness says more. */
    static Ending ran(ExecResult last, Integer memoryLimitMb) {
        var error = cutOff(last, memoryLimitMb);
        error = error != null || last.exitCode() == 0 ? error : "the agent exited with code " + last.exitCode();
        var result = new LinkedHashMap<String, Object>();
        result.put("status", error == null ? "completed" : "error");
        result.put("exit_code", last.exitCode());
        return new Ending(
                error == null ? SessionStatus.COMPLETED : SessionStatus.ERROR, error, false, last, result, Map.of());
    }

    /** Why the agent could not end by itself, or null where it did. */
    private static String cutOff(ExecResult last, Integer memoryLimitMb) {
        if (last.outOfMemory()) {
            return "the agent was killed: out of memory"
                    + (memoryLimitMb == null ? "" : " (runtime.memory_mb: " + memoryLimitMb + " MiB)");
        }
        return last.timedOut() ? "the agent's command was ended by a time limit of its own" : null;
    }

    /** What the harness makes of it. An agent that was cut off stays so, whatever the harness saw. */
    Ending judged(AgentOutcome outcome) {
        boolean cutOff = last.outOfMemory() || last.timedOut();
        boolean succeeded = outcome.succeeded() && !cutOff;
        return new Ending(
                succeeded ? SessionStatus.COMPLETED : SessionStatus.ERROR,
                succeeded ? null : cutOff ? error : outcome.reason(),
                false,
                last,
                outcome.result(),
                outcome.traceMetadata());
    }

    /** The run was cut off when a budget ended. */
    static Ending timeout(Deadline deadline, String stage) {
        boolean agents = deadline.kind() == Deadline.Kind.AGENT_TIMEOUT;
        var result = new LinkedHashMap<String, Object>();
        result.put("status", "timeout");
        result.put("ending", AgentEnding.TIMED_OUT.wire());
        result.put("timeout_source", agents ? "agent" : "session");
        result.put("timeout_stage", stage);
        var budget = agents ? "metadata.agent_timeout" : "timeout_seconds";
        return new Ending(
                SessionStatus.TIMEOUT,
                "the agent ran out of time (" + budget + ": " + deadline.seconds() + " s)",
                agents,
                null,
                result,
                Map.of());
    }

    /** What a session is that an extension gave up on. */
    static SessionStatus statusOf(ExtensionException failed) {
        return failed.category() == ExtensionException.Category.TIMEOUT ? SessionStatus.TIMEOUT : SessionStatus.ERROR;
    }

    /** The agent of a bare session: it ran elsewhere, and is done. */
    static Ending elsewhere() {
        return new Ending(SessionStatus.COMPLETED, null, false, null, Map.of(), Map.of());
    }

    /** Something failed before the agent had ended by itself. */
    static Ending failed(String why, String stage) {
        var result = new LinkedHashMap<String, Object>();
        result.put("status", "error");
        result.put("ending", AgentEnding.FAILED.wire());
        result.put("stage", stage);
        return new Ending(SessionStatus.ERROR, why, false, null, result, Map.of());
    }

    /** With something more to tell in {@code agent_result}. */
    Ending with(String key, Object value) {
        var told = new LinkedHashMap<>(result);
        told.put(key, value);
        return new Ending(status, error, agentTimeout, last, told, traceMetadata);
    }

    /** The same, but for another reason. */
    Ending spoiled(SessionStatus worse, String why) {
        var told = new LinkedHashMap<>(result);
        var ending = worse == SessionStatus.TIMEOUT ? AgentEnding.TIMED_OUT : AgentEnding.FAILED;
        told.putIfAbsent("ending", ending.wire());
        return status == SessionStatus.COMPLETED
                ? new Ending(worse, why, agentTimeout, last, told, traceMetadata)
                : new Ending(status, error, agentTimeout, last, told, traceMetadata);
    }
}
