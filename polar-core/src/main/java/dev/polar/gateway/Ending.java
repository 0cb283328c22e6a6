package dev.polar.gateway;

import dev.polar.spi.AgentOutcome;
import dev.polar.spi.ExecResult;
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
        var seen = AgentOutcome.ofExit(last);
        var error = last.outOfMemory() ? outOfMemory(memoryLimitMb) : seen.reason();
        return new Ending(
                error == null ? SessionStatus.COMPLETED : SessionStatus.ERROR, error, false, last, seen.result(), Map.of());
    }

    private static String outOfMemory(Integer limitMb) {
        return "the agent was killed: out of memory"
                + (limitMb == null ? "" : " (runtime.memory_mb: " + limitMb + " MiB)");
    }

    /** What the harness makes of it. Out of memory stays out of memory, whatever the harness saw. */
    Ending judged(AgentOutcome outcome) {
        boolean killed = last.outOfMemory();
        var why = killed ? error : outcome.reason();
        return new Ending(
                outcome.succeeded() && !killed ? SessionStatus.COMPLETED : SessionStatus.ERROR,
                outcome.succeeded() && !killed ? null : why,
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

    /** Something failed before the agent had ended by itself. */
    static Ending failed(String why, String stage) {
        var result = new LinkedHashMap<String, Object>();
        result.put("status", "error");
        result.put("stage", stage);
        return new Ending(SessionStatus.ERROR, why, false, null, result, Map.of());
    }

    /** The same, but for another reason. */
    Ending spoiled(SessionStatus worse, String why) {
        return status == SessionStatus.COMPLETED
                ? new Ending(worse, why, agentTimeout, last, result, traceMetadata)
                : this;
    }
}
