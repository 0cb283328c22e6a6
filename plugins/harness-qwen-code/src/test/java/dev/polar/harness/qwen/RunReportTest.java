package dev.polar.harness.qwen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.spi.AgentReport.Said;
import dev.polar.spi.ExecResult;
import org.junit.jupiter.api.Test;

final class RunReportTest {
    private static final QwenCodeSettings DEFAULTS = settings(null);
    private static final String INIT =
            "{\"type\":\"system\",\"subtype\":\"init\",\"qwen_code_version\":\"0.24.4\",\"mcp_servers\":[{\"name\":\"tools\",\"status\":\"%s\"}]}\n";

    @Test
    void a_result_without_an_error_is_its_word_that_it_is_done() {
        var report = RunReport.of(
                exited(
                        0,
                        INIT.formatted("connected")
                                + "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":4,\"result\":\"All done.\",\"usage\":{\"input_tokens\":9,\"output_tokens\":2}}\n",
                        ""),
                DEFAULTS);

        assertThat(report.said()).isEqualTo(Said.FINISHED);
        assertThat(report.message()).isNull();
        assertThat(report.result())
                .containsEntry("num_turns", 4)
                .containsEntry("result", "All done.")
                .containsEntry("version", "0.24.4")
                .doesNotContainKey("warnings");
        assertThat(report.traceMetadata()).containsEntry("agent_version", "0.24.4");
    }

    @Test
    void an_error_as_result_is_a_failure_in_its_own_words() {
        var report = RunReport.of(
                exited(
                        1,
                        "{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,\"error\":{\"message\":\"[API Error: 500 no]\"}}\n",
                        ""),
                DEFAULTS);

        assertThat(report.said()).isEqualTo(Said.FAILED);
        assertThat(report.message()).isEqualTo("[API Error: 500 no]");
    }

    @Test
    void a_limit_of_turns_or_time_is_giving_up_and_a_death_without_a_result_says_nothing() {
        var limit = RunReport.of(exited(53, INIT.formatted("connected"), "Reached max session turns\n"), DEFAULTS);

        assertThat(limit.said()).isEqualTo(Said.GAVE_UP);
        assertThat(limit.message()).isEqualTo("Reached max session turns");
        assertThat(RunReport.of(exited(55, "", ""), DEFAULTS).said()).isEqualTo(Said.GAVE_UP);
        assertThat(RunReport.of(exited(0, INIT.formatted("connected"), ""), DEFAULTS)
                        .said())
                .isEqualTo(Said.NOTHING);
    }

    @Test
    void another_version_and_a_tool_server_that_is_not_there_are_warnings() {
        var report = RunReport.of(exited(0, INIT.formatted("disconnected"), ""), settings("0.24.5"));

        assertThat(report.result().get("warnings").toString())
                .contains("version 0.24.4, not 0.24.5")
                .contains("tool server 'tools' was disconnected");
    }

    private static QwenCodeSettings settings(String version) {
        return new QwenCodeSettings(version, null, null, null, null, null, null, null, null, null);
    }

    private static ExecResult exited(int code, String stdout, String stderr) {
        return new ExecResult(code, false, false, stdout, stderr, stdout.length(), stderr.length());
    }
}
