package dev.polar.spi;

import java.util.Map;

/**
 * What an agent itself said of its run, as its harness read it. The agent's word alone decides nothing: see {@link AgentOutcome#of}.
 *
 * @param said what its last event comes to
 * @param message what it said went wrong, in one line, or null
 * @param result what is worth telling in {@code agent_result}, beside what {@link AgentOutcome#of} adds
 * @param traceMetadata is added to each trace's metadata
 */
public record AgentReport(Said said, String message, Map<String, Object> result, Map<String, Object> traceMetadata) {
    /** What an agent's last event comes to. */
    public enum Said {
        /** It is done. */
        FINISHED,
        /** It stopped by a limit or a decision of its own. */
        GAVE_UP,
        /** Something failed. */
        FAILED,
        /** It ended without a last event, or printed nothing. */
        NOTHING
    }

    public AgentReport {
        Check.present("said", said);
        result = Check.map(result);
        traceMetadata = Check.map(traceMetadata);
    }

    public static AgentReport of(Said said, String message) {
        return new AgentReport(said, message, Map.of(), Map.of());
    }

    /** Of an agent that says it with its exit status alone. */
    public static AgentReport ofExit(ExecResult run) {
        return of(run.exitCode() == 0 ? Said.FINISHED : Said.FAILED, null);
    }
}
