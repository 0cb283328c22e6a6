package dev.polar.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.spi.SessionStatus;
import dev.polar.wire.Json;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResultReaderTest {
    private final List<String> seen = new ArrayList<>();
    private final ResultReader.Visitor visitor = new ResultReader.Visitor() {
        @Override
        public void session(SessionHead session) {
            seen.add(session.sessionId() + " " + session.status());
        }

        @Override
        public void trace(SessionTrace trace) {
            seen.add(trace.session().sessionId() + "/" + trace.index() + " " + trace.trainedTokens());
        }
    };

    private String read(String json) throws Exception {
        return ResultReader.read(new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)), "here", visitor)
                .path("status")
                .asText();
    }

    @Test
    void a_task_hands_on_its_sessions_and_their_traces_in_order() throws Exception {
        var task = Map.of("task_id", "t", "status", "running", "results", new SampleSessions().all());
        assertThat(read(Json.MAPPER.writeValueAsString(task))).isEqualTo("running");
        assertThat(seen)
                .containsExactly(
                        "sk-polar-two COMPLETED",
                        "sk-polar-two/0 27",
                        "sk-polar-two/1 17",
                        "sk-polar-failed ERROR",
                        "sk-polar-failed/0 0",
                        "sk-polar-rewritten COMPLETED",
                        "sk-polar-rewritten/0 8",
                        "sk-polar-rewritten/1 17",
                        "sk-polar-picture COMPLETED",
                        "sk-polar-picture/0 8",
                        "sk-polar-empty ERROR");
    }

    @Test
    void a_result_that_names_its_session_last_is_read_as_well() throws Exception {
        read("{\"trajectory\": {\"traces\": [{\"prompt_ids\": [1], \"response_ids\": [2, 3], \"loss_mask\": [1, 1]}],"
                + " \"metadata\": {}}, \"task_id\": \"t\", \"status\": \"COMPLETED\", \"session_id\": \"s\"}");
        assertThat(seen).containsExactly("s COMPLETED", "s/0 2");
    }

    @Test
    void what_is_cut_or_no_result_is_told_with_its_name() throws Exception {
        var whole = Json.MAPPER.writeValueAsString(SampleSessions.session(
                "s",
                "t",
                SessionStatus.COMPLETED,
                Map.of(),
                List.of(new SampleSessions().chain(1, "main", null, "first", null))));
        assertThatThrownBy(() -> read(whole.substring(0, whole.length() - 200)))
                .isInstanceOf(ResultException.class)
                .hasMessageStartingWith("here: is not the JSON of a session result");
        assertThatThrownBy(() -> read("{\"results\": null, \"status\": \"running\"}"))
                .hasMessage("here: results: is no list: this is no task");
        assertThatThrownBy(() -> read("{\"results\": [null, {\"session_id\": \"s\", \"status\": \"ERROR\"}]}"))
                .hasMessage("here: results: something in it is no session result");
        assertThatThrownBy(() -> read("[]")).hasMessageContaining("a JSON object was expected");
        assertThatThrownBy(() -> read("{\"a\": 1}")).hasMessageContaining("session_id: is required");
    }
}
