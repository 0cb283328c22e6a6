package dev.polar.spi;

import dev.polar.spi.AgentReport.Said;
import java.util.LinkedHashMap;
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
    /** As the reason of a run that called no model. */
    public static final String NO_COMPLETIONS = "no completions";

    public AgentOutcome {
        if (!succeeded) {
            Check.text("reason", reason);
        }
        result = Check.map(result);
        traceMetadata = Check.map(traceMetadata);
    }

    /**
     * What exit status, the agent's own last word and the record say together. The run succeeded where its ending is {@link AgentEnding#DONE}, and {@code result} has {@code status},
     * {@code ending}, {@code exit_code} and {@code calls}. The first row that fits decides:
     *
     * <table>
     * <caption>Rows</caption>
     * <tr><th>seen</th><th>ending</th></tr>
     * <tr><td>a time limit of the command's own ended it</td><td>timed_out</td></tr>
     * <tr><td>it was killed for memory</td><td>failed</td></tr>
     * <tr><td>the main line's last call did not fit into the window</td><td>out_of_context</td></tr>
     * <tr><td>the main line's last call failed or was refused</td><td>engine_fault</td></tr>
     * <tr><td>the main line made no call</td><td>failed</td></tr>
     * <tr><td>the main line's last answer was cut by its limit of tokens, whatever the agent says of it</td><td>gave_up</td></tr>
     * <tr><td>the agent says that it stopped by its own limit</td><td>gave_up</td></tr>
     * <tr><td>it says that it failed, or nothing, or its exit status is not 0; and it had hung up on its last call</td><td>engine_fault: it waited in vain</td></tr>
     * <tr><td>the same, and its last call was answered</td><td>failed</td></tr>
     * <tr><td>all else: it says that it is done, and exits with 0</td><td>done</td></tr>
     * </table>
     *
     * <p>So a call that failed and was asked again changes nothing, and an agent that takes a failure for an answer is not believed.
     */
    public static AgentOutcome of(ExecResult run, AgentReport report, CallSummary calls) {
        var ending = ending(run, report, calls);
        return new AgentOutcome(
                ending == AgentEnding.DONE,
                ending == AgentEnding.DONE ? null : reason(ending, run, report, calls),
                result(ending, run, report, calls),
                report.traceMetadata());
    }

    /** Of an agent whose exit status alone decides whether it succeeded; {@code result} has the ending that {@link #of} would give it. */
    public static AgentOutcome ofExit(ExecResult run, CallSummary calls) {
        var report = AgentReport.ofExit(run);
        boolean succeeded = run.exitCode() == 0;
        var result = new LinkedHashMap<>(result(ending(run, report, calls), run, report, calls));
        result.put("status", succeeded ? "completed" : "error");
        return new AgentOutcome(succeeded, succeeded ? null : exited(run), result, Map.of());
    }

    private static AgentEnding ending(ExecResult run, AgentReport report, CallSummary calls) {
        if (run.timedOut()) {
            return AgentEnding.TIMED_OUT;
        }
        if (run.outOfMemory() || calls.last() == null) {
            return AgentEnding.FAILED;
        }
        boolean bad = run.exitCode() != 0 || report.said() != Said.FINISHED;
        return switch (calls.last().end()) {
            case OUT_OF_CONTEXT -> AgentEnding.OUT_OF_CONTEXT;
            case ENGINE_FAULT, REFUSED -> AgentEnding.ENGINE_FAULT;
            case HUNG_UP, ANSWERED -> {
                if (report.said() == Said.GAVE_UP || calls.last().cutByLimit()) {
                    yield AgentEnding.GAVE_UP;
                }
                if (!bad) {
                    yield AgentEnding.DONE;
                }
                yield calls.last().end() == CallSummary.End.HUNG_UP ? AgentEnding.ENGINE_FAULT : AgentEnding.FAILED;
            }
        };
    }

    private static String reason(AgentEnding ending, ExecResult run, AgentReport report, CallSummary calls) {
        var last = calls.last();
        if (last != null && last.end().fault()) {
            return "the agent's last model call failed with " + last.status()
                    + (last.message() == null ? "" : ": " + last.message());
        }
        if (ending == AgentEnding.TIMED_OUT) {
            return "the agent's command was ended by a time limit of its own";
        }
        if (last == null && run.exitCode() == 0 && report.message() == null) {
            return NO_COMPLETIONS;
        }
        if (last != null && last.cutByLimit()) {
            return "the agent gave up: its limit of tokens cut the last answer";
        }
        if (report.message() != null) {
            return (ending == AgentEnding.GAVE_UP ? "the agent gave up: " : "the agent failed: ") + report.message();
        }
        if (run.exitCode() != 0) {
            return exited(run);
        }
        return report.said() == Said.NOTHING
                ? "the agent exited with code 0 before it said how its run ended"
                : "the agent says that its run failed";
    }

    private static String exited(ExecResult run) {
        return "the agent exited with code " + run.exitCode();
    }

    private static Map<String, Object> result(
            AgentEnding ending, ExecResult run, AgentReport report, CallSummary calls) {
        var result = new LinkedHashMap<String, Object>();
        result.put(
                "status",
                switch (ending) {
                    case DONE -> "completed";
                    case TIMED_OUT -> "timeout";
                    case GAVE_UP, ENGINE_FAULT, OUT_OF_CONTEXT, FAILED -> "error";
                });
        result.put("ending", ending.wire());
        result.put("exit_code", run.exitCode());
        if (report.message() != null) {
            result.put("said", report.message());
        }
        result.put("calls", calls.view());
        result.putAll(report.result());
        return result;
    }
}
