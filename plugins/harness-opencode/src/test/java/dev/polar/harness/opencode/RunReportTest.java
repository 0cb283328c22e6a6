package dev.polar.harness.opencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.spi.AgentReport;
import dev.polar.spi.AgentReport.Said;
import dev.polar.spi.ExecResult;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RunReportTest {
    private static final String ERROR =
            "{\"type\":\"error\",\"error\":{\"name\":\"ContextOverflowError\",\"data\":{\"message\":\"too long\"}}}\n";

    @Test
    void a_last_step_that_stopped_is_its_word_that_it_is_done() {
        var report = report(0, step("tool-calls") + text("All done.") + step("stop"));

        assertThat(report.said()).isEqualTo(Said.FINISHED);
        assertThat(report.message()).isNull();
        assertThat(report.result())
                .containsEntry("steps", 2)
                .containsEntry("result", "All done.")
                .containsEntry("stop_reason", "stop")
                .containsEntry("usage", Map.of("input_tokens", 20L, "output_tokens", 4L))
                .containsEntry("version", "1.18.33")
                .doesNotContainKey("warnings");
    }

    @Test
    void an_error_after_the_last_step_is_a_failure_whatever_the_exit_status_is() {
        var report = report(0, step("tool-calls") + ERROR);

        assertThat(report.said()).isEqualTo(Said.FAILED);
        assertThat(report.message()).isEqualTo("ContextOverflowError: too long");
        assertThat(report.result()).containsEntry("error", "ContextOverflowError");
        assertThat(report(0, ERROR + step("stop")).said()).isEqualTo(Said.FINISHED);
    }

    @Test
    void an_answer_that_was_cut_is_giving_up_and_an_end_between_two_steps_says_nothing() {
        assertThat(report(0, step("length")).said()).isEqualTo(Said.GAVE_UP);
        assertThat(report(0, step("length")).message()).isEqualTo("its last answer ended by length");
        assertThat(report(0, step("tool-calls")).said()).isEqualTo(Said.NOTHING);
        assertThat(report(0, step("unknown")).said()).isEqualTo(Said.NOTHING);
        assertThat(report(0, "").said()).isEqualTo(Said.NOTHING);
    }

    @Test
    void another_version_is_a_warning() {
        assertThat(RunReport.of(exited(0, step("stop")), settings("1.2.3"), "1.18.33")
                        .result()
                        .get("warnings")
                        .toString())
                .contains("version 1.18.33, not 1.2.3");
    }

    private static AgentReport report(int code, String stdout) {
        return RunReport.of(exited(code, stdout), settings(null), "1.18.33");
    }

    private static OpenCodeSettings settings(String version) {
        return new OpenCodeSettings(version, null, null, null, null, null, null, null, null, null);
    }

    private static String step(String reason) {
        return "{\"type\":\"step_finish\",\"part\":{\"reason\":\"" + reason
                + "\",\"tokens\":{\"input\":10,\"output\":2}}}\n";
    }

    private static String text(String text) {
        return "{\"type\":\"text\",\"part\":{\"text\":\"" + text + "\"}}\n";
    }

    private static ExecResult exited(int code, String stdout) {
        return new ExecResult(code, false, false, stdout, "", stdout.length(), 0);
    }
}
