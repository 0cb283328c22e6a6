package dev.polar.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.spi.SessionStatus;
import dev.polar.wire.BindingException;
import dev.polar.wire.Json;
import dev.polar.wire.NotJsonException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultSummaryTest {
    @TempDir
    Path folder;

    private ResultSummary read(String json) throws IOException {
        return ResultSummary.read(Files.writeString(folder.resolve("r.json"), json));
    }

    @Test
    void what_a_result_comes_to_is_read_from_our_own_records() throws Exception {
        var summary = read(Json.MAPPER.writeValueAsString(RolloutRig.result("t", "s", SessionStatus.COMPLETED, null)));
        assertThat(summary).isEqualTo(new ResultSummary("s", "t", SessionStatus.COMPLETED, null, 0.5, 1, 3, true));
    }

    @Test
    void without_an_outcome_the_mean_of_the_traces_rewards_stands_in() throws Exception {
        var summary = read("""
                {"metadata": {"x": [{}]}, "session_id": "s", "task_id": "t", "status": "TIMEOUT", "error": "late", "unknown": [[1]],
                 "trajectory": {"traces": [{"reward": 1.0}, {"reward": null}, {"reward": 0}], "metadata": {"evaluation": null}}}
                """);
        assertThat(summary.reward()).isEqualTo(0.5);
        assertThat(summary.traces()).isEqualTo(3);
        assertThat(summary.usable()).isFalse();
        assertThat(summary.error()).isEqualTo("late");
    }

    @Test
    void what_is_no_result_is_refused() {
        assertThatThrownBy(() -> read("{\"session_id\": \"s\"")).isInstanceOf(NotJsonException.class);
        assertThatThrownBy(() -> read("{} {}")).isInstanceOf(NotJsonException.class);
        assertThatThrownBy(() -> read("[]")).isExactlyInstanceOf(BindingException.class);
        assertThatThrownBy(() -> read(
                        "{\"session_id\": \"s\", \"task_id\": \"t\", \"status\": \"RUNNING\", \"trajectory\": {}}"))
                .hasMessageContaining("RUNNING");
        assertThatThrownBy(() -> read("{\"session_id\": \"s\", \"task_id\": \"t\", \"status\": \"ERROR\"}"))
                .hasMessageContaining("trajectory");
        assertThatThrownBy(() -> read("{\"session_id\": 7}")).hasMessageContaining("session_id");
    }
}
