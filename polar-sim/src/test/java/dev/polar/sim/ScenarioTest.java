package dev.polar.sim;

import static dev.polar.sim.Client.chat;
import static dev.polar.sim.Client.withIds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScenarioTest {
    private static final String SCRIPT = """
            seed: 11
            rules:
              - name: look first
                when: {turn: 1, tools: [bash], first_user: 'fix (?<file>\\S+)', system: 'careful'}
                answer:
                  text: Let me look.
                  tool_calls:
                    - {name: bash, arguments: {command: 'cat ${file}', lines: [1, '${file}']}}
              - name: repair
                when: {turn: {from: 2, to: 3}, tool_result: {name: bash, content: 'return (?<wrong>\\d+)'}}
                answers:
                  - {weight: 1, tool_calls: [{name: bash, arguments: {command: 'sed -i s/${wrong}/4/ calc.py'}}]}
                  - {weight: 1, tool_calls: [{name: bash, arguments: {command: 'true'}}]}
              - name: done
                when: {history: 'sed -i', last: {role: tool}}
                answer: {text: 'Done with ${nothing}.', reasoning: 'It should work.'}
              - name: overloaded
                when: {last: {content: '^please fail'}}
                fault: {kind: status, status: 529, shape: text, message: overloaded}
            """;

    private static ObjectNode task() {
        ObjectNode body = withIds(Json.object());
        body.putArray("messages").addObject().put("role", "system").put("content", "Be careful.");
        Client.messages(body).addObject().put("role", "user").put("content", "fix calc.py");
        body.putArray("tools").add(Client.tool("bash"));
        return body;
    }

    private static void addTurn(ObjectNode body, JsonNode message, String result) {
        Client.messages(body).add(message);
        Client.messages(body)
                .addObject()
                .put("role", "tool")
                .put("tool_call_id", message.at("/tool_calls/0/id").asText())
                .put("content", result);
    }

    @Test
    void a_script_drives_a_tool_loop_and_is_right_in_some_samples_only() throws Exception {
        try (SimServer sim = SimServer.start(
                SimOptions.builder().scenario(Scenario.parse(SCRIPT)).build())) {
            Client client = new Client(sim);
            JsonNode first = client.ok(task()).at("/choices/0/message");
            assertThat(first.get("content").asText()).isEqualTo("Let me look.\n");
            assertThat(first.at("/tool_calls/0/function/arguments").asText())
                    .isEqualTo("{\"command\": \"cat calc.py\", \"lines\": [1, \"calc.py\"]}");
            ObjectNode second = task();
            addTurn(second, first, "def f(): return 5");
            Map<String, Integer> commands = new HashMap<>();
            for (int i = 0; i < 40; i++) {
                commands.merge(
                        client.ok(second)
                                .at("/choices/0/message/tool_calls/0/function/arguments")
                                .asText(),
                        1,
                        Integer::sum);
            }
            assertThat(commands)
                    .containsOnlyKeys("{\"command\": \"sed -i s/5/4/ calc.py\"}", "{\"command\": \"true\"}");
            ObjectNode third = second.deepCopy();
            ObjectNode repaired = Json.object().put("role", "assistant").putNull("content");
            repaired.putArray("tool_calls")
                    .addObject()
                    .put("id", "c")
                    .put("type", "function")
                    .putObject("function")
                    .put("name", "bash")
                    .put("arguments", "{\"command\":\"sed -i s/5/4/ calc.py\"}");
            addTurn(third, repaired, "ok");
            assertThat(client.ok(third).at("/choices/0/message/content").asText())
                    .isEqualTo("<think>\nIt should work.\n</think>\n\nDone with ${nothing}.");
        }
    }

    @Test
    void a_rule_that_wants_a_tool_is_passed_over_without_it() throws Exception {
        try (SimServer sim = SimServer.start(
                SimOptions.builder().scenario(Scenario.parse(SCRIPT)).build())) {
            ObjectNode body = task();
            body.remove("tools");
            assertThat(new Client(sim).ok(body).at("/choices/0/message").has("tool_calls"))
                    .isFalse();
        }
    }

    @Test
    void a_rule_can_bring_a_fault() throws Exception {
        try (SimServer sim = SimServer.start(
                SimOptions.builder().scenario(Scenario.parse(SCRIPT)).build())) {
            Client.Reply reply = new Client(sim).post("/v1/chat/completions", chat("please fail"));
            assertThat(reply.status()).isEqualTo(529);
            assertThat(reply.text()).isEqualTo("overloaded");
        }
    }

    @Test
    void probability_0_never_answers_and_a_seed_repeats_the_draws() throws Exception {
        Scenario scenario = Scenario.parse("""
                {"rules": [{"probability": 0, "answer": {"text": "never"}}, {"answers": [{"text": "a"}, {"text": "b"}]}]}
                """);
        StringBuilder[] drawn = {new StringBuilder(), new StringBuilder()};
        for (StringBuilder run : drawn) {
            try (SimServer sim = SimServer.start(
                    SimOptions.builder().scenario(scenario).seed(5).build())) {
                for (int i = 0; i < 30; i++) {
                    run.append(new Client(sim)
                            .ok(chat("x"))
                            .at("/choices/0/message/content")
                            .asText());
                }
            }
        }
        assertThat(drawn[0].toString())
                .isEqualTo(drawn[1].toString())
                .contains("a")
                .contains("b")
                .doesNotContain("never");
    }

    @Test
    void mistakes_are_named_with_their_place(@TempDir Path dir) throws Exception {
        Map<String, String> mistakes = Map.of(
                "rules: [{answr: {text: a}}]", "rules[0] has the unknown key 'answr'",
                "rules: [{answer: {text: a}, when: {turns: 1}}]", "rules[0].when has the unknown key 'turns'",
                "rules: [{when: {turn: 1}}]", "rules[0] has neither answer, answers nor fault",
                "rules: [{answer: {text: a}, when: {system: '('}}]", "rules[0].when.system is no regular expression",
                "rules: [{answer: {text: a}, probability: 2}]", "rules[0].probability is 2.0",
                "rules: [{fault: {kind: flood}}]", "fault kind 'flood' is unknown",
                "otherwise: sing", "otherwise is 'sing'",
                "rules: [", "is neither YAML nor JSON");
        mistakes.forEach((text, message) -> assertThatThrownBy(() -> Scenario.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message));
        Path file = Files.writeString(dir.resolve("s.yaml"), "otherwise: sing");
        assertThatThrownBy(() -> Scenario.read(file)).hasMessageContaining("s.yaml");
    }

    @Test
    void a_rule_can_ask_for_the_requests_seed() {
        Scenario scenario = Scenario.parse("""
                rules:
                  - when: {seed: '[02468]$'}
                    answer: {text: even}
                  - when: {seed: '\\d'}
                    answer: {text: odd}
                  - answer: {text: none}
                """);
        SplittableRandom random = new SplittableRandom(1);
        assertThat(scenario.decide(task().put("seed", 1002), random).answer()).isEqualTo(Answer.text("even"));
        assertThat(scenario.decide(task().put("seed", 1003), random).answer()).isEqualTo(Answer.text("odd"));
        assertThat(scenario.decide(task(), random).answer()).isEqualTo(Answer.text("none"));
    }
}
