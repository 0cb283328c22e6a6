package dev.polar.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.spi.AgentReport.Said;
import dev.polar.spi.CallSummary.End;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class AgentOutcomeTest {
    @ParameterizedTest(name = "exit {0}, says {1}, last call {2}: {3}")
    @CsvSource({
        "0, FINISHED, ANSWERED, done",
        "0, FINISHED, HUNG_UP, done",
        "0, FINISHED, ENGINE_FAULT, engine_fault",
        "0, FINISHED, REFUSED, engine_fault",
        "0, FINISHED, OUT_OF_CONTEXT, out_of_context",
        "0, NOTHING, OUT_OF_CONTEXT, out_of_context",
        "0, FINISHED, , failed",
        "0, NOTHING, ANSWERED, failed",
        "1, FINISHED, ANSWERED, failed",
        "0, FAILED, ANSWERED, failed",
        "1, FAILED, HUNG_UP, engine_fault",
        "1, GAVE_UP, ANSWERED, gave_up",
        "0, GAVE_UP, ENGINE_FAULT, engine_fault",
    })
    void exit_status_last_word_and_record_decide_together(int code, Said said, End last, String ending) {
        var outcome = AgentOutcome.of(exited(code), AgentReport.of(said, null), last(last));

        assertThat(outcome.result()).containsEntry("ending", ending).containsEntry("exit_code", code);
        assertThat(outcome.succeeded()).isEqualTo(ending.equals("done"));
        assertThat(outcome.result()).containsEntry("status", ending.equals("done") ? "completed" : "error");
        assertThat(outcome.reason() == null).isEqualTo(outcome.succeeded());
    }

    @Test
    void the_reason_names_the_status_and_the_words_of_the_last_failure() {
        var outcome = AgentOutcome.of(exited(0), AgentReport.of(Said.FINISHED, null), last(End.ENGINE_FAULT));

        assertThat(outcome.reason()).isEqualTo("the agent's last model call failed with 503: out of order");
        assertThat(outcome.result().get("calls").toString())
                .contains("answered=2")
                .contains("failed=1")
                .contains("last_status=503");
    }

    @ParameterizedTest
    @EnumSource(Said.class)
    void an_agent_that_stops_after_an_answer_cut_by_its_limit_gave_up_whatever_it_says(Said said) {
        var cut = new CallSummary(2, 0, CallSummary.Call.answered("length"));
        var outcome = AgentOutcome.of(exited(said == Said.FAILED ? 1 : 0), AgentReport.of(said, "so it is"), cut);

        assertThat(outcome.result()).containsEntry("ending", "gave_up").containsEntry("status", "error");
        assertThat(outcome.reason()).isEqualTo("the agent gave up: its limit of tokens cut the last answer");
        assertThat(AgentOutcome.ofExit(exited(0), cut).succeeded()).isTrue();
    }

    @Test
    void a_limit_of_time_or_memory_goes_before_all_else() {
        var slow = new ExecResult(143, true, false, "", "", 0, 0);
        var large = new ExecResult(137, false, true, "", "", 0, 0);
        var report = AgentReport.of(Said.NOTHING, null);

        assertThat(AgentOutcome.of(slow, report, last(End.ENGINE_FAULT)).result())
                .containsEntry("ending", "timed_out")
                .containsEntry("status", "timeout");
        assertThat(AgentOutcome.of(large, report, last(End.ENGINE_FAULT)).result())
                .containsEntry("ending", "failed");
    }

    @Test
    void where_the_exit_status_decides_the_ending_is_told_all_the_same() {
        var outcome = AgentOutcome.ofExit(exited(0), last(End.ENGINE_FAULT));

        assertThat(outcome.succeeded()).isTrue();
        assertThat(outcome.result()).containsEntry("status", "completed").containsEntry("ending", "engine_fault");
        assertThat(AgentOutcome.ofExit(exited(3), last(End.ANSWERED)).reason())
                .isEqualTo("the agent exited with code 3");
    }

    @Test
    void an_agent_that_called_no_model_has_no_completions() {
        assertThat(AgentOutcome.of(exited(0), AgentReport.of(Said.FINISHED, null), CallSummary.NONE)
                        .reason())
                .isEqualTo("no completions");
    }

    private static ExecResult exited(int code) {
        return new ExecResult(code, false, false, "", "", 0, 0);
    }

    private static CallSummary last(End end) {
        var call = end == null
                ? null
                : end.fault()
                        ? new CallSummary.Call(end, 503, "out of order", null)
                        : end == End.HUNG_UP
                                ? new CallSummary.Call(end, null, null, null)
                                : CallSummary.Call.answered("stop");
        return new CallSummary(2, 1, call);
    }
}
