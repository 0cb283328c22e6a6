package dev.polar.harness.claude;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.spi.AgentOutcome;
import dev.polar.spi.AgentReport;
import dev.polar.spi.AgentReport.Said;
import dev.polar.spi.ApiType;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.CallSummary;
import dev.polar.spi.ExecResult;
import dev.polar.spi.InvalidValueException;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class ClaudeCodeHarnessTest {
    private static final ClaudeCodeSettings DEFAULTS =
            new ClaudeCodeSettings(null, null, null, null, null, null, null, null);

    private static final CallSummary ANSWERED = new CallSummary(1, 0, CallSummary.Call.answered("stop"));

    @Test
    void a_run_without_a_result_event_said_nothing() {
        var report = report(0, "{\"type\":\"system\",\"subtype\":\"init\"}\n", "segmentation fault");

        assertThat(report.said()).isEqualTo(Said.NOTHING);
        assertThat(report.message()).isEqualTo("segmentation fault");
    }

    @Test
    void a_run_that_exits_0_with_an_error_as_its_result_failed() {
        var report = report(0, result("success", true, "API Error: 500"), "");

        assertThat(report.said()).isEqualTo(Said.FAILED);
        assertThat(report.message()).isEqualTo("API Error: 500");
    }

    @Test
    void a_last_answer_that_the_program_made_up_itself_is_a_failure() {
        var stdout = "{\"type\":\"assistant\",\"message\":{\"model\":\"<synthetic>\"},\"error\":\"server_error\"}\n"
                + result("success", false, "API Error: connection lost");

        assertThat(report(0, stdout, "").said()).isEqualTo(Said.FAILED);
    }

    @Test
    void turns_that_ran_out_are_giving_up_and_a_bad_exit_status_is_a_failure() {
        assertThat(report(1, result("error_max_turns", true, ""), ""))
                .extracting(AgentReport::said, AgentReport::message)
                .containsExactly(Said.GAVE_UP, "error_max_turns");
        var run = exited(1, result("success", false, "fine"), "");
        assertThat(AgentOutcome.of(run, RunReport.of(run).report(DEFAULTS), ANSWERED)
                        .reason())
                .isEqualTo("the agent exited with code 1");
    }

    @Test
    void lines_that_are_cut_or_no_json_are_passed_over() {
        var stdout =
                "noise\n{\"type\":\"assist\n[12 bytes were left out here]\nant\"}\n" + result("success", false, "ok");

        assertThat(report(0, stdout, "").said()).isEqualTo(Said.FINISHED);
    }

    @Test
    void another_version_is_a_warning_unless_it_was_asked_for() {
        var stdout = "{\"type\":\"system\",\"subtype\":\"init\",\"claude_code_version\":\"9.9.9\"}\n"
                + result("success", false, "ok");
        var asked = new ClaudeCodeSettings("9.9.9", null, null, null, null, null, null, null);

        assertThat(report(0, stdout, "").result().get("warnings").toString())
                .contains("version 9.9.9, not " + ClaudeCodeSettings.PACKAGE.pinned());
        assertThat(RunReport.of(exited(0, stdout, "")).report(asked).result()).doesNotContainKey("warnings");
    }

    @Test
    void a_tool_server_that_is_not_connected_is_a_warning() {
        var stdout = "{\"type\":\"system\",\"subtype\":\"init\",\"claude_code_version\":\""
                + ClaudeCodeSettings.PACKAGE.pinned()
                + "\",\"mcp_servers\":[{\"name\":\"files\",\"status\":\"connected\"},{\"name\":\"broken\",\"status\":\"failed\"}]}\n"
                + result("success", false, "ok");

        assertThat(report(0, stdout, "").result())
                .containsEntry("warnings", List.of("tool server 'broken' was failed"));
    }

    @Test
    void side_calls_are_auxiliary_and_a_summary_is_a_compaction_that_the_agent_resumes_from() {
        var labels = CallTable.labels(List.of(
                call("You are Claude Code", "fix it", null, "Bash", "Edit"),
                call("Generate a concise, sentence-case title", "fix it", null),
                call("", "quota", null),
                call(
                        "You are an assistant for performing a web search tool use",
                        "Perform a search",
                        null,
                        "web_search"),
                call("You are an agent", "look", "a1", "Bash"),
                call(
                        "",
                        "CRITICAL. Your task is to create a detailed summary of the conversation so far, paying",
                        null),
                call("You are Claude Code", "go on", null, "Bash", "Edit"),
                call("You are an agent", "go on", "a1", "Bash")));

        assertThat(labels)
                .containsExactly(
                        CallLabel.MAIN,
                        CallLabel.AUXILIARY,
                        CallLabel.AUXILIARY,
                        CallLabel.AUXILIARY,
                        new CallLabel("subagent", "a1", null),
                        new CallLabel("main", null, "compaction"),
                        new CallLabel("main", null, "resumed"),
                        new CallLabel("subagent", "a1", null));
    }

    @Test
    void a_session_without_tools_is_all_main() {
        assertThat(CallTable.labels(List.of(call("", "a", null), call("", "b", null))))
                .containsOnly(CallLabel.MAIN);
    }

    @Test
    void settings_say_what_is_wrong_with_them() {
        assertThatThrownBy(() -> new ClaudeCodeSettings("latest; rm", null, null, null, null, null, null, null))
                .isInstanceOf(InvalidValueException.class)
                .hasMessageStartingWith("version: 'latest; rm' is no version");
    }

    private static AgentReport report(int code, String stdout, String stderr) {
        return RunReport.of(exited(code, stdout, stderr)).report(DEFAULTS);
    }

    private static ExecResult exited(int code, String stdout, String stderr) {
        return new ExecResult(code, false, false, stdout, stderr, stdout.length(), stderr.length());
    }

    private static String result(String subtype, boolean error, String text) {
        return "{\"type\":\"result\",\"subtype\":\"" + subtype + "\",\"is_error\":" + error
                + ",\"num_turns\":1,\"result\":\"" + text + "\"}\n";
    }

    private static CallFacts call(String system, String lastUser, String agent, String... tools) {
        Map<String, String> headers = agent == null ? Map.of() : Map.of(CallTable.AGENT_HEADER, agent);
        return new CallFacts(
                null, 0, ApiType.ANTHROPIC, headers, system, lastUser, List.of(tools), 1, OptionalInt.of(32_000), true);
    }
}
