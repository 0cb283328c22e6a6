package dev.polar.harness.gemini;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.spi.AgentReport;
import dev.polar.spi.AgentReport.Said;
import dev.polar.spi.ExecResult;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The lines are those of version 0.61.0, without what nobody reads. */
final class RunEventsTest {
    private static final String INIT = """
            {"type":"init","timestamp":"2026-11-29T23:03:06.535Z","session_id":"9b758b75","model":"polar"}
            {"type":"message","role":"user","content":"Replace hello"}
            """;
    private static final String TOOL = """
            {"type":"message","role":"assistant","content":"First I look.","delta":true}
            {"type":"tool_use","tool_name":"read_file","tool_id":"read_file__1","parameters":{"file_path":"a.txt"}}
            {"type":"tool_result","tool_id":"read_file__1","status":"success","output":""}
            """;
    private static final String DONE = """
            {"type":"message","role":"assistant","content":"All ","delta":true}
            {"type":"message","role":"assistant","content":"done.","delta":true}
            {"type":"result","status":"success","stats":{"total_tokens":50045,"input_tokens":49859,"output_tokens":186,"duration_ms":1901,"tool_calls":1,"models":{}}}
            """;

    @Test
    void a_run_that_ended_well_tells_its_last_answer_and_what_it_used() {
        var report = report(0, INIT + TOOL + DONE, "");

        assertThat(report.said()).isEqualTo(Said.FINISHED);
        assertThat(report.message()).isNull();
        assertThat(report.result())
                .containsEntry("result", "All done.")
                .containsEntry("tool_calls", 1)
                .containsEntry("input_tokens", 49859)
                .containsEntry("output_tokens", 186)
                .containsEntry("version", "0.61.0")
                .doesNotContainKey("warnings");
        assertThat(report.traceMetadata()).containsEntry("agent_version", "0.61.0");
    }

    @Test
    void a_run_whose_attempts_all_failed_says_so_whatever_its_exit_status() {
        var failed = INIT + """
                {"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: simulated error 503]"},"stats":{"total_tokens":0}}
                """;

        for (int exitCode : List.of(0, 247)) {
            assertThat(report(exitCode, failed, "").said()).isEqualTo(Said.FAILED);
            assertThat(report(exitCode, failed, "").message()).isEqualTo("[API Error: simulated error 503]");
        }
    }

    @Test
    void a_run_without_a_result_said_nothing_but_its_last_line() {
        var report = report(42, INIT, "Warning: colours\nNo input provided via stdin.\n");

        assertThat(report.said()).isEqualTo(Said.NOTHING);
        assertThat(report.message()).isEqualTo("No input provided via stdin.");
    }

    @Test
    void a_limit_of_turns_is_giving_up() {
        var report = report(53, INIT + TOOL + """
                {"type":"result","status":"error","error":{"type":"FatalTurnLimitedError","message":"Reached max session turns for this session."},"stats":{}}
                """, "");

        assertThat(report.said()).isEqualTo(Said.GAVE_UP);
        assertThat(report.message()).isEqualTo("Reached max session turns for this session.");
    }

    @Test
    void a_loop_is_giving_up_though_the_agent_calls_it_success() {
        var report = report(0, INIT + TOOL + """
                {"type":"error","severity":"warning","message":"Loop detected, stopping execution"}
                {"type":"result","status":"success","stats":{}}
                """, "");

        assertThat(report.said()).isEqualTo(Said.GAVE_UP);
        assertThat(report.message()).isEqualTo("Loop detected, stopping execution");
    }

    @Test
    void answers_that_are_empty_are_giving_up_though_the_exit_status_is_0() {
        var report = report(0, INIT + """
                {"type":"error","severity":"error","message":"The model returned an empty response with no text or thoughts."}
                {"type":"result","status":"error","stats":{}}
                """, "");

        assertThat(report.said()).isEqualTo(Said.GAVE_UP);
        assertThat(report.message()).startsWith("The model returned an empty response");
    }

    @Test
    void a_problem_that_a_later_tool_call_left_behind_is_none_of_the_ending() {
        var report = report(0, INIT + """
                {"type":"error","severity":"warning","message":"Agent execution blocked: a hook"}
                """ + TOOL + DONE, "");

        assertThat(report.said()).isEqualTo(Said.FINISHED);
        assertThat(report.message()).isNull();
    }

    @Test
    void a_tool_server_that_failed_and_another_version_are_warnings() {
        var run = exited(0, INIT + DONE, "MCP issues detected. Run /mcp list for status.\n");

        assertThat(RunEvents.of(run)
                        .report(GeminiCliHarnessTest.DEFAULTS, "0.60.0")
                        .result()
                        .get("warnings")
                        .toString())
                .contains("version 0.60.0, not 0.61.0")
                .contains("a tool server could not be used");
    }

    @Test
    void lines_that_are_torn_or_no_json_are_passed_over() {
        assertThat(report(0, "noise\n{\"type\":\"resu\n" + INIT + DONE, "").said())
                .isEqualTo(Said.FINISHED);
    }

    private static AgentReport report(int exitCode, String stdout, String stderr) {
        return RunEvents.of(exited(exitCode, stdout, stderr)).report(GeminiCliHarnessTest.DEFAULTS, "0.61.0");
    }

    private static ExecResult exited(int exitCode, String stdout, String stderr) {
        return new ExecResult(exitCode, false, false, stdout, stderr, stdout.length(), stderr.length());
    }
}
