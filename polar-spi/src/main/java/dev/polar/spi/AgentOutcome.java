package dev.polar.spi;

import java.util.Map;

/**
 * How the agent's run ended, in the harness's eyes.
 *
 * @param succeeded false makes the session ERROR with {@code reason}
 * @param reason null where it succeeded
 * @param result becomes {@code trajectory.metadata.agent_result}
 * @param traceMetadata is added to each trace's metadata
 */
public record AgentOutcome(
        boolean succeeded, String reason, Map<String, Object> result, Map<String, Object> traceMetadata) {
    public AgentOutcome {
        if (!succeeded) {
            Check.text("reason", reason);
        }
        result = Check.map(result);
        traceMetadata = Check.map(traceMetadata);
    }

    /** What an exit status alone says. */
    public static AgentOutcome ofExit(ExecResult run) {
        var result = new java.util.LinkedHashMap<String, Object>();
        result.put("status", run.exitCode() == 0 ? "completed" : "error");
        result.put("exit_code", run.exitCode());
        var reason = run.exitCode() == 0 ? null : "the agent exited with code " + run.exitCode();
        return new AgentOutcome(run.exitCode() == 0, reason, result, Map.of());
    }
}
