package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Anthropic Messages through the proxy to both engines. */
class MessagesTest {
    private static final String TOOLS =
            ",\"tools\":[{\"name\":\"get_weather\",\"input_schema\":{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}}]";
    private static final String CALL =
            "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"z\": 1, \"a\": 2, \"n\": 1.0}}\n</tool_call>";

    private static Node node(SimEngine engine, String raw) throws IOException {
        return node(engine, request -> raw);
    }

    private static Node node(SimEngine engine, java.util.function.Function<JsonNode, String> model) throws IOException {
        Policy policy = (request, random) -> new Policy.Decision(new Answer.Raw(model.apply(request)));
        return new Node(SimOptions.builder()
                .engine(engine)
                .policy(policy)
                .reasoning(true)
                .build());
    }

    private static String ask(String more) {
        return "{\"model\":\"claude\",\"max_tokens\":200,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]" + more
                + "}";
    }

    private static List<String> types(List<JsonNode> events) {
        var types = new ArrayList<String>();
        for (var event : events) {
            var type = event.path("type").textValue();
            types.add(
                    type.equals("content_block_delta") ? event.at("/delta/type").textValue() : type);
        }
        return types;
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void a_whole_answer_has_thinking_text_and_tool_use_in_order(SimEngine engine) throws IOException {
        try (var node = node(engine, "<think>hm</think>Let me look.\n" + CALL)) {
            var answer = node.answer("/v1/messages", ask(TOOLS));
            assertThat(answer.path("type").textValue()).isEqualTo("message");
            assertThat(answer.path("model").textValue()).isEqualTo("claude");
            assertThat(answer.path("stop_reason").textValue()).isEqualTo("tool_use");
            var types = new ArrayList<String>();
            answer.path("content").forEach(block -> types.add(block.path("type").textValue()));
            assertThat(types).containsExactly("thinking", "text", "tool_use");
            assertThat(answer.at("/content/0/thinking").textValue()).isEqualTo("hm");
            assertThat(answer.at("/content/0/signature").textValue()).isNotEmpty();
            assertThat(answer.at("/content/2/input/z").intValue()).isEqualTo(1);
            var entry = node.recorder.entries.getFirst();
            assertThat(answer.at("/usage/output_tokens").intValue()).isEqualTo(entry.sampledIds().length);
            assertThat(node.recorder.delivered).containsExactly(entry.id());
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void a02_signature_delta_precedes_block_stop(SimEngine engine) throws IOException {
        try (var node = node(engine, "<think>hm</think>Let me look.\n" + CALL)) {
            var events = node.events("/v1/messages", ask(TOOLS + ",\"stream\":true"));
            assertThat(types(events))
                    .containsExactly(
                            "message_start",
                            "content_block_start",
                            "thinking_delta",
                            "signature_delta",
                            "content_block_stop",
                            "content_block_start",
                            "text_delta",
                            "content_block_stop",
                            "content_block_start",
                            "input_json_delta",
                            "content_block_stop",
                            "message_delta",
                            "message_stop");
        }
    }

    @Test
    void a04_block_indexes_rise_by_one_and_each_block_is_closed_before_the_next() throws IOException {
        try (var node = node(SimEngine.VLLM, "<think>hm</think>Let me look.\n" + CALL)) {
            int open = -1;
            int next = 0;
            for (var event : node.events("/v1/messages", ask(TOOLS + ",\"stream\":true"))) {
                switch (event.path("type").textValue()) {
                    case "content_block_start" -> {
                        assertThat(open).isEqualTo(-1);
                        assertThat(event.path("index").intValue()).isEqualTo(next);
                        open = next++;
                    }
                    case "content_block_delta" ->
                        assertThat(event.path("index").intValue()).isEqualTo(open);
                    case "content_block_stop" -> {
                        assertThat(event.path("index").intValue()).isEqualTo(open);
                        open = -1;
                    }
                    default -> assertThat(open).isEqualTo(-1);
                }
            }
            assertThat(next).isEqualTo(3);
        }
    }

    @Test
    void a05_text_and_thinking_blocks_have_no_input() throws IOException {
        try (var node = node(SimEngine.VLLM, "<think>hm</think>Yes.")) {
            for (var block : node.answer("/v1/messages", ask("")).path("content")) {
                assertThat(block.has("input")).isFalse();
            }
            for (var event : node.events("/v1/messages", ask(",\"stream\":true"))) {
                assertThat(event.path("content_block").has("input")).isFalse();
            }
        }
    }

    @Test
    void a06_tool_arguments_reach_the_agent_with_their_key_order_and_number_text() throws IOException {
        try (var node = node(SimEngine.VLLM, CALL)) {
            var body = node.post("/v1/messages", ask(TOOLS)).body();
            assertThat(body).contains("\"input\":{\"z\": 1, \"a\": 2, \"n\": 1.0}");
            var streamed = node.events("/v1/messages", ask(TOOLS + ",\"stream\":true"));
            assertThat(streamed.stream()
                            .map(event -> event.at("/delta/partial_json").asText("")))
                    .contains("{\"z\": 1, \"a\": 2, \"n\": 1.0}");
        }
    }

    @ParameterizedTest
    @CsvSource({"stop,end_turn", "length,max_tokens", "tool_calls,tool_use", "content_filter,refusal"})
    void a13_finish_reasons_are_stop_reasons(String finish, String stop) {
        var answer = Answers.of(
                "{'choices':[{'message':{'role':'assistant','content':'x'},'finish_reason':'" + finish + "'}]}");
        var call = Bodies.messages("[{'role':'user','content':'a'}]");
        assertThat(MessagesEncoder.whole(call, Reply.of(answer))
                        .path("stop_reason")
                        .textValue())
                .isEqualTo(stop);
    }

    @Test
    void a12_a_stop_sequence_that_struck_is_told() throws IOException {
        try (var node = node(SimEngine.VLLM, "one two three")) {
            var answer = node.answer("/v1/messages", ask(",\"stop_sequences\":[\" three\"]"));
            assertThat(answer.path("stop_reason").textValue()).isEqualTo("stop_sequence");
            assertThat(answer.path("stop_sequence").textValue()).isEqualTo(" three");
            assertThat(node.recorder.entries.getFirst().matchedStop().textValue())
                    .isEqualTo(" three");
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void a16_tokens_are_counted_by_the_engine_and_are_no_completion(SimEngine engine) throws IOException {
        try (var node = node(engine, "x")) {
            int counted = node.answer("/v1/messages/count_tokens", ask(TOOLS))
                    .path("input_tokens")
                    .intValue();
            node.answer("/v1/messages", ask(TOOLS));
            assertThat(node.recorder.entries).hasSize(1);
            assertThat(counted).isEqualTo(node.recorder.entries.getFirst().promptIds().length);
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void b18_a_second_turn_goes_on_from_the_models_own_text(SimEngine engine) throws IOException {
        java.util.function.Function<JsonNode, String> model =
                request -> request.path("messages").size() == 1 ? CALL : "Done.";
        try (var node = node(engine, model)) {
            var first = node.answer("/v1/messages", ask(TOOLS));
            var id = first.at("/content/0/id").textValue();
            node.answer(
                    "/v1/messages",
                    "{\"model\":\"claude\",\"max_tokens\":200,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},"
                            + "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"" + id
                            + "\",\"name\":\"get_weather\",\"input\":{\"z\":1,\"a\":2,\"n\":1}}]},"
                            + "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"" + id
                            + "\",\"content\":\"18\"}]}]" + TOOLS + "}");
            assertThat(node.upstream()
                            .at("/messages/1/tool_calls/0/function/arguments")
                            .textValue())
                    .isEqualTo("{\"z\": 1, \"a\": 2, \"n\": 1.0}");
            var before = node.recorder.entries.get(0);
            var after = node.recorder.entries.get(1).promptIds();
            int known = before.promptIds().length + before.sampledIds().length;
            assertThat(java.util.Arrays.copyOf(after, known))
                    .isEqualTo(java.util.stream.IntStream.concat(
                                    java.util.Arrays.stream(before.promptIds()),
                                    java.util.Arrays.stream(before.sampledIds()))
                            .toArray());
        }
    }

    @Test
    void a11_a_call_without_a_name_is_not_lost() {
        var answer = Answers.of(
                "{'choices':[{'message':{'role':'assistant','content':null,'tool_calls':[{'id':'c1','type':'function',"
                        + "'function':{'arguments':'{}'}}]},'finish_reason':'tool_calls'}]}");
        var reply = Reply.of(answer);
        assertThat(reply.toolCalls()).containsExactly(new Reply.ToolCall("c1", "", "{}"));
        assertThat(Capture.brokenToolCall(reply, true)).contains("without a name");
    }

    @Test
    void b14_a_broken_call_is_shown_as_it_is_and_marked() {
        var answer = Answers.of(
                "{'choices':[{'message':{'role':'assistant','content':null,'tool_calls':[{'id':'c1','type':'function',"
                        + "'function':{'name':'f','arguments':'{no json'}}]},'finish_reason':'tool_calls'}]}");
        var call = Bodies.messages("[{'role':'user','content':'a'}]");
        assertThat(MessagesEncoder.whole(call, Reply.of(answer))
                        .at("/content/0/input")
                        .textValue())
                .isEqualTo("{no json");
        assertThat(Capture.brokenToolCall(Reply.of(answer), true)).contains("no JSON");
    }

    @Test
    void an_unknown_key_is_401_in_anthropics_shape() throws IOException {
        try (var node = node(SimEngine.VLLM, "x")) {
            var response = node.send(
                    java.net.http.HttpRequest.newBuilder(java.net.URI.create(node.front.url() + "/v1/messages"))
                            .header("x-api-key", "not-a-session")
                            .POST(java.net.http.HttpRequest.BodyPublishers.ofString(ask("")))
                            .build());
            assertThat(response.statusCode()).isEqualTo(401);
            var body = Bodies.parsed(response.body());
            assertThat(body.path("type").textValue()).isEqualTo("error");
            assertThat(body.at("/error/type").textValue()).isEqualTo("authentication_error");
        }
    }

    @Test
    void a_full_context_is_told_in_the_words_that_agents_know() throws IOException {
        Policy policy = Policy.plainText();
        try (var node =
                new Node(SimOptions.builder().policy(policy).contextLength(64).build())) {
            var response = node.post("/v1/messages", ask("").replace("hi", "word ".repeat(200)));
            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(Bodies.parsed(response.body()).at("/error/message").textValue())
                    .matches("prompt is too long: \\d+ tokens > 64 maximum");
        }
    }
}
