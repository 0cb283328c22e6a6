package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.wire.Json;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HarnessReportTest {
    private static final String RECORD = """
            {"completion_id": "%1$s", "metadata": {"role": "main", "agent": null, "api_type": "openai_chat", "streamed": true,
              "headers": {"user-agent": "my-agent/1"}},
             "original_request": {"model": "sim", "stream": true, "temperature": 0, "tools": [], "messages": [
               {"role": "user", "content": [{"type": "image_url"}]}]},
             "request": {"messages": %2$s, "tools": [{"function": {"name": "run"}}]},
             "response": {"choices": [{"message": {"role": "assistant", "content": "first"}}]}}
            """;

    private static JsonNode json(String text) throws Exception {
        return Json.MAPPER.readTree(text);
    }

    private static ObjectNode result(String... firstSpans) throws Exception {
        var result = Json.MAPPER.createObjectNode().put("status", "COMPLETED");
        var trajectory = result.putObject("trajectory");
        trajectory
                .putObject("metadata")
                .putObject("agent_result")
                .put("ending", "done")
                .put("version", "1.2.3");
        var traces = trajectory.putArray("traces");
        for (var id : firstSpans) {
            traces.addObject()
                    .putObject("metadata")
                    .putArray("spans")
                    .addObject()
                    .put("completion_id", id)
                    .put("break", id.equals("a") ? "first" : "rewritten");
        }
        return result;
    }

    @Test
    void a_changed_system_message_is_named_with_the_place_where_it_changed() throws Exception {
        var records = List.of(
                json(RECORD.formatted("a", "[{\"role\":\"system\",\"content\":\"It is 10:00. Be good.\"}]")),
                json(RECORD.formatted("b", "[{\"role\":\"system\",\"content\":\"It is 10:05. Be good.\"}]")));

        var breaks = ChainBreak.all(result("a", "b"), records);

        assertThat(breaks).hasSize(1);
        assertThat(breaks.getFirst().line())
                .startsWith("call 2 starts a new trace (rewritten): message 0 (system) of call 1 was changed: ")
                .contains("10:00")
                .contains("10:05");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            [{"role":"user","content":"go"},{"role":"assistant","content":"FIRST"},{"role":"user","content":"on"}] | the answer to call 1 came back otherwise
            [{"role":"user","content":"go"},{"role":"user","content":"on"}]                                         | the answer to call 1 is not in it
            """)
    void an_answer_that_the_agent_changed_or_dropped_is_told(String messages, String what) throws Exception {
        var records = List.of(
                json(RECORD.formatted("a", "[{\"role\":\"user\",\"content\":\"go\"}]")),
                json(RECORD.formatted("b", messages)));

        assertThat(ChainBreak.all(result("a", "b"), records))
                .extracting(ChainBreak::what)
                .allMatch(said -> said.startsWith(what));
    }

    @Test
    void it_tells_what_the_agent_speaks_and_sends() throws Exception {
        var completions = Json.MAPPER.createObjectNode();
        completions.putArray("completions").add(json(RECORD.formatted("a", "[]")));

        var report = HarnessReport.of("my_agent", result("a"), completions);

        assertThat(report.lines())
                .contains(
                        "agent     my_agent, version 1.2.3",
                        "speaks    openai_chat 1; streamed 1 of 1",
                        "features  content:image_url, temperature",
                        "header    user-agent: my-agent/1",
                        "chain     held: the main line is one trace");
        assertThat(report.json().path("tools").toString()).isEqualTo("[\"run\"]");
    }

    @Test
    void an_agent_that_failed_is_quoted_with_the_place_of_its_log() throws Exception {
        var result = result();
        result.withObject("/trajectory/metadata/agent_result/log")
                .put("stderr", "/node/agent.stderr.log")
                .putArray("last_lines")
                .add("no such module");

        assertThat(HarnessReport.of("my_agent", result, Json.MAPPER.createObjectNode())
                        .lines())
                .containsSequence("log       /node/agent.stderr.log", "          | no such module");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"command":{"type":"string"}}                            | ["command"]      | {"command":"pwd"}
            {"command":{"type":"array"},"timeout":{"type":"number"}} | ["timeout"]      | {"timeout":10000,"command":["sh","-c","pwd"]}
            {"cmd":{"type":"string"},"why":{"type":"string"}}        | ["cmd","why"]    | {"cmd":"pwd","why":"a step of the check"}
            """)
    void the_models_first_call_fits_the_tool_that_runs_commands(String properties, String required, String arguments)
            throws Exception {
        var request = json(
                "{\"messages\":[{\"role\":\"user\",\"content\":\"go\"}],\"tools\":[{\"function\":{\"name\":\"ask\","
                        + "\"parameters\":{\"properties\":{\"question\":{}}}}},{\"function\":{\"name\":\"sh\",\"parameters\":{\"properties\":"
                        + properties + ",\"required\":" + required + "}}}]}");

        var answer =
                new CheckModel().decide(request, RandomGenerator.getDefault()).answer();

        assertThat(answer).isInstanceOfSatisfying(Answer.Message.class, message -> {
            assertThat(message.calls()).hasSize(1);
            assertThat(message.calls().getFirst().name()).isEqualTo("sh");
            assertThat(message.calls().getFirst().arguments()).isEqualTo(jsonOrFail(arguments));
        });
    }

    @Test
    void without_a_tool_that_runs_commands_the_model_answers_in_words() throws Exception {
        var request = json("{\"messages\":[],\"tools\":[{\"function\":{\"name\":\"ask\"}}]}");

        Policy.Decision decision = new CheckModel().decide(request, RandomGenerator.getDefault());

        assertThat(decision.answer())
                .isInstanceOfSatisfying(
                        Answer.Message.class,
                        message -> assertThat(message.calls()).isEmpty());
    }

    private static JsonNode jsonOrFail(String text) {
        try {
            return json(text);
        } catch (Exception impossible) {
            throw new AssertionError(impossible);
        }
    }
}
