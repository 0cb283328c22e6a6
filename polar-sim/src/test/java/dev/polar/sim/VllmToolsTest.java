package dev.polar.sim;

import static dev.polar.sim.Client.chat;
import static dev.polar.sim.Client.ids;
import static dev.polar.sim.Client.keys;
import static dev.polar.sim.Client.withIds;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The rows of the engine's tool table, whole and streamed. */
class VllmToolsTest {
    private static final String CALL =
            "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\n  \"city\":\"Paris\"}}\n</tool_call>";
    private static final Map<String, String> RAW = Map.of(
            "one",
            CALL,
            "text",
            "Sure, let me look.\n" + CALL,
            "two",
            CALL + "\n" + CALL.replace("Paris", "Rome"),
            "broken",
            "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": Paris}}\n</tool_call>",
            "stranger",
            CALL.replace("get_weather", "launch"),
            "reasoned",
            "<think>\nWeather, then.\n</think>\n\n" + CALL);

    private static SimServer sim;
    private static Client client;

    @BeforeAll
    static void start() throws Exception {
        sim = SimServer.start(SimOptions.builder()
                .reasoning(true)
                .policy((request, random) -> {
                    String asked = request.at("/messages/0/content").asText();
                    return new Policy.Decision(
                            RAW.containsKey(asked) ? new Answer.Raw(RAW.get(asked)) : Answer.text("No call."));
                })
                .build());
        client = new Client(sim);
    }

    @AfterAll
    static void stop() {
        sim.close();
    }

    private static ObjectNode asking(String what) {
        ObjectNode body = withIds(chat(what));
        body.putArray("tools").add(Client.tool("get_weather"));
        return body;
    }

    private static ObjectNode named(ObjectNode body) {
        body.putObject("tool_choice")
                .put("type", "function")
                .putObject("function")
                .put("name", "get_weather");
        return body;
    }

    /** What a stream adds up to. */
    private record Sum(
            String content, String reasoning, List<String> names, List<String> arguments, String finish, int tokens) {}

    private static Sum sum(List<JsonNode> events) {
        StringBuilder content = new StringBuilder();
        StringBuilder reasoning = new StringBuilder();
        List<String> names = new java.util.ArrayList<>();
        List<StringBuilder> arguments = new java.util.ArrayList<>();
        String finish = "";
        int tokens = 0;
        for (JsonNode event : events) {
            JsonNode choice = event.at("/choices/0");
            content.append(choice.at("/delta/content").asText("").replace("null", ""));
            reasoning.append(choice.at("/delta/reasoning").asText(""));
            for (JsonNode call : choice.at("/delta/tool_calls")) {
                if (call.at("/function").has("name")) {
                    names.add(call.at("/function/name").asText());
                    arguments.add(new StringBuilder());
                }
                arguments
                        .get(call.get("index").intValue())
                        .append(call.at("/function/arguments").asText(""));
            }
            finish = choice.path("finish_reason").asText("").equals("null")
                    ? finish
                    : choice.path("finish_reason").asText(finish);
            tokens += choice.path("token_ids").size();
        }
        return new Sum(
                content.toString(),
                reasoning.toString(),
                names,
                arguments.stream().map(StringBuilder::toString).toList(),
                finish,
                tokens);
    }

    @Test
    void auto_gives_a_call_with_null_content_and_arguments_written_anew() throws Exception {
        JsonNode choice = client.ok(asking("one")).at("/choices/0");
        assertThat(keys(choice.get("message")))
                .containsExactly(
                        "role",
                        "content",
                        "refusal",
                        "annotations",
                        "audio",
                        "function_call",
                        "tool_calls",
                        "reasoning");
        assertThat(choice.at("/message/content").isNull()).isTrue();
        assertThat(keys(choice.at("/message/tool_calls/0"))).containsExactly("id", "type", "function");
        assertThat(choice.at("/message/tool_calls/0/id").asText()).matches("chatcmpl-tool-[0-9a-f]{16}");
        assertThat(choice.at("/message/tool_calls/0/function/arguments").asText())
                .isEqualTo("{\"city\": \"Paris\"}");
        assertThat(choice.get("finish_reason").asText()).isEqualTo("tool_calls");
        assertThat(SimTokenizer.shared().decode(ids(choice.get("token_ids")))).isEqualTo(CALL + "<|im_end|>");
    }

    @Test
    void streamed_arguments_are_as_generated_and_syntax_has_no_text() throws Exception {
        List<JsonNode> events = client.events(asking("one"));
        Sum sum = sum(events);
        assertThat(sum.names()).containsExactly("get_weather");
        assertThat(sum.arguments()).containsExactly("{\n  \"city\":\"Paris\"}");
        assertThat(sum.finish()).isEqualTo("tool_calls");
        assertThat(sum.content()).isEmpty();
        assertThat(events.get(1).at("/choices/0/delta").toString()).isEqualTo("{}");
        JsonNode name = events.stream()
                .filter(event -> event.at("/choices/0/delta").has("tool_calls"))
                .findFirst()
                .orElseThrow();
        assertThat(keys(name.at("/choices/0/delta"))).containsExactly("content", "tool_calls");
        assertThat(keys(name.at("/choices/0/delta/tool_calls/0"))).containsExactly("id", "type", "index", "function");
    }

    @Test
    void text_before_a_call_keeps_its_line_break() throws Exception {
        assertThat(client.ok(asking("text")).at("/choices/0/message/content").asText())
                .isEqualTo("Sure, let me look.\n");
        assertThat(sum(client.events(asking("text"))).content()).isEqualTo("Sure, let me look.\n");
    }

    @Test
    void required_makes_a_call_that_fits_the_schema_and_empty_content() throws Exception {
        JsonNode choice =
                client.ok(asking("anything").put("tool_choice", "required")).at("/choices/0");
        assertThat(choice.at("/message/content").asText("null")).isEmpty();
        assertThat(choice.get("finish_reason").asText()).isEqualTo("tool_calls");
        assertThat(Json.MAPPER
                        .readTree(choice.at("/message/tool_calls/0/function/arguments")
                                .asText())
                        .get("city")
                        .isTextual())
                .isTrue();
        assertThat(sum(client.events(asking("anything").put("tool_choice", "required")))
                        .finish())
                .isEqualTo("tool_calls");
    }

    @Test
    void a_named_call_finishes_with_stop() throws Exception {
        JsonNode choice = client.ok(named(asking("anything"))).at("/choices/0");
        assertThat(choice.at("/message/tool_calls/0/function/name").asText()).isEqualTo("get_weather");
        assertThat(choice.at("/message/content").asText("null")).isEmpty();
        assertThat(choice.get("finish_reason").asText()).isEqualTo("stop");
        assertThat(sum(client.events(named(asking("anything")))).finish()).isEqualTo("stop");
    }

    @Test
    void none_keeps_the_tools_in_the_prompt() throws Exception {
        JsonNode answer = client.ok(asking("anything").put("tool_choice", "none"));
        assertThat(SimTokenizer.shared().decode(ids(answer.get("prompt_token_ids"))))
                .contains("get_weather");
        assertThat(answer.at("/choices/0/message").has("tool_calls")).isFalse();
    }

    @Test
    void broken_json_is_text_when_whole_and_a_call_when_streamed() throws Exception {
        JsonNode choice = client.ok(asking("broken")).at("/choices/0");
        assertThat(choice.at("/message/content").asText()).isEqualTo(RAW.get("broken"));
        assertThat(choice.get("finish_reason").asText()).isEqualTo("stop");
        Sum sum = sum(client.events(asking("broken")));
        assertThat(sum.arguments()).containsExactly("{\"city\": Paris}");
        assertThat(sum.finish()).isEqualTo("tool_calls");
    }

    @Test
    void a_name_that_is_not_among_the_tools_is_passed_on() throws Exception {
        assertThat(client.ok(asking("stranger"))
                        .at("/choices/0/message/tool_calls/0/function/name")
                        .asText())
                .isEqualTo("launch");
        assertThat(sum(client.events(asking("stranger"))).names()).containsExactly("launch");
    }

    @Test
    void without_parallel_calls_the_second_is_dropped_but_its_ids_stay() throws Exception {
        JsonNode choice =
                client.ok(asking("two").put("parallel_tool_calls", false)).at("/choices/0");
        assertThat(choice.at("/message/tool_calls").size()).isEqualTo(1);
        assertThat(SimTokenizer.shared().decode(ids(choice.get("token_ids")))).contains("Rome");
        Sum sum = sum(client.events(asking("two").put("parallel_tool_calls", false)));
        assertThat(sum.names()).hasSize(1);
        assertThat(sum.tokens()).isEqualTo(choice.get("token_ids").size());
        assertThat(sum(client.events(asking("two"))).arguments())
                .hasSize(2)
                .last()
                .asString()
                .contains("Rome");
    }

    @Test
    void required_cut_by_length_is_raw_text_when_whole_and_nothing_when_streamed() throws Exception {
        ObjectNode body = asking("anything").put("tool_choice", "required").put("max_tokens", 9);
        JsonNode choice = client.ok(body).at("/choices/0");
        assertThat(choice.at("/message/content").asText()).startsWith("<tool_call>\n{\"");
        assertThat(choice.get("finish_reason").asText()).isEqualTo("length");
        Sum sum = sum(client.events(body));
        assertThat(sum.content()).isEmpty();
        assertThat(sum.finish()).isEqualTo("length");
    }

    @Test
    void reasoning_leaves_the_content_and_is_counted() throws Exception {
        JsonNode answer = client.ok(asking("reasoned"));
        assertThat(answer.at("/choices/0/message/reasoning").asText()).isEqualTo("Weather, then.");
        assertThat(answer.at("/choices/0/message/tool_calls").size()).isEqualTo(1);
        assertThat(answer.at("/usage/completion_tokens_details/reasoning_tokens")
                        .intValue())
                .isPositive();
        Sum sum = sum(client.events(asking("reasoned")));
        assertThat(sum.reasoning()).isEqualTo("Weather, then.");
        assertThat(sum.names()).hasSize(1);
    }

    @Test
    void hidden_reasoning_takes_ids_and_logprobs_with_it() throws Exception {
        JsonNode choice =
                client.ok(asking("reasoned").put("include_reasoning", false)).at("/choices/0");
        assertThat(choice.get("token_ids").isNull()).isTrue();
        assertThat(choice.get("logprobs").isNull()).isTrue();
    }
}
