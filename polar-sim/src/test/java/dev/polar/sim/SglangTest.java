package dev.polar.sim;

import static dev.polar.sim.Client.chat;
import static dev.polar.sim.Client.ids;
import static dev.polar.sim.Client.keys;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SglangTest {
    private static final SimTokenizer TOKENIZER = SimTokenizer.shared();
    private static final String CALL =
            "Sure.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {\"city\": \"Rome\"}}\n</tool_call>";
    private static final SimOptions OPTIONS = SimOptions.builder()
            .engine(SimEngine.SGLANG)
            .contextLength(400)
            .policy((request, random) -> new Policy.Decision(
                    request.at("/messages/0/content").asText().equals("call")
                            ? new Answer.Raw(CALL)
                            : Answer.text("Plain text 日.")))
            .build();
    private static SimServer sim;
    private static Client client;

    @BeforeAll
    static void start() throws Exception {
        sim = SimServer.start(OPTIONS);
        client = new Client(sim);
    }

    @AfterAll
    static void stop() {
        sim.close();
    }

    private static ObjectNode calling() {
        ObjectNode body = chat("call").put("logprobs", true);
        body.putArray("tools").add(Client.tool("look"));
        return body;
    }

    @Test
    void an_answer_has_sglangs_keys_in_sglangs_order() throws Exception {
        ObjectNode body = chat("x")
                .put("logprobs", true)
                .put("return_token_ids", true)
                .put("return_meta_info", true)
                .put("return_input_ids_in_sglext", true)
                .put("return_output_ids_in_sglext", true);
        JsonNode answer = client.ok(body);
        assertThat(keys(answer))
                .containsExactly("id", "object", "created", "model", "choices", "usage", "metadata", "sglext");
        JsonNode choice = answer.at("/choices/0");
        assertThat(keys(choice))
                .containsExactly(
                        "index",
                        "message",
                        "logprobs",
                        "finish_reason",
                        "matched_stop",
                        "prompt_token_ids",
                        "response_token_ids",
                        "meta_info");
        assertThat(keys(choice.get("message"))).containsExactly("role", "content", "reasoning_content");
        assertThat(keys(choice.at("/logprobs/content/0"))).containsExactly("token", "bytes", "logprob", "top_logprobs");
        assertThat(keys(answer.get("usage")))
                .containsExactly(
                        "prompt_tokens",
                        "total_tokens",
                        "completion_tokens",
                        "prompt_tokens_details",
                        "reasoning_tokens",
                        "completion_tokens_details");
        assertThat(keys(choice.get("meta_info")))
                .containsExactly(
                        "id",
                        "finish_reason",
                        "prompt_tokens",
                        "weight_version",
                        "num_retractions",
                        "input_token_logprobs",
                        "output_token_logprobs",
                        "output_token_logprobs_length",
                        "reasoning_tokens",
                        "completion_tokens",
                        "cached_tokens",
                        "weight_versions",
                        "e2e_latency");
        assertThat(choice.get("matched_stop").intValue()).isEqualTo(TOKENIZER.endOfTurn());
        assertThat(answer.at("/sglext/output_ids/0")).isEqualTo(choice.get("response_token_ids"));
        assertThat(TOKENIZER.decode(ids(choice.get("response_token_ids")))).isEqualTo("Plain text 日.<|im_end|>");
        assertThat(choice.at("/meta_info/weight_versions/0/end").intValue())
                .isEqualTo(choice.get("response_token_ids").size());
    }

    @Test
    void ids_are_absent_unless_asked_for() throws Exception {
        JsonNode answer = client.ok(chat("x"));
        assertThat(keys(answer)).doesNotContain("sglext", "system_fingerprint");
        assertThat(keys(answer.at("/choices/0")))
                .containsExactly("index", "message", "logprobs", "finish_reason", "matched_stop");
        assertThat(keys(client.ok(chat("x").put("return_prompt_token_ids", true))
                        .at("/choices/0")))
                .contains("prompt_token_ids")
                .doesNotContain("response_token_ids");
    }

    @Test
    void bytes_of_a_part_of_a_character_are_its_own() throws Exception {
        JsonNode content = client.ok(chat("x").put("logprobs", true)).at("/choices/0/logprobs/content");
        java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
        content.forEach(entry -> entry.get("bytes").forEach(value -> bytes.write(value.intValue())));
        assertThat(bytes.toString(java.nio.charset.StandardCharsets.UTF_8)).isEqualTo("Plain text 日.<|im_end|>");
    }

    @Test
    void a_tool_call_has_its_own_id_and_text_that_is_never_null() throws Exception {
        JsonNode choice = client.ok(calling()).at("/choices/0");
        assertThat(choice.at("/message/content").asText()).isEqualTo("Sure.");
        JsonNode call = choice.at("/message/tool_calls/0");
        assertThat(keys(call)).containsExactly("id", "index", "type", "function");
        assertThat(call.get("id").asText()).matches("call_[0-9a-f]{24}");
        assertThat(call.at("/function/arguments").asText()).isEqualTo("{\"city\": \"Rome\"}");
        assertThat(choice.get("finish_reason").asText()).isEqualTo("tool_calls");
        assertThat(choice.get("matched_stop").isNull()).isTrue();
    }

    @Test
    void a_stream_ends_with_finish_ids_usage_and_done() throws Exception {
        ObjectNode body = chat("x")
                .put("logprobs", true)
                .put("return_input_ids_in_sglext", true)
                .put("return_output_ids_in_sglext", true);
        body.putObject("stream_options").put("include_usage", true);
        List<JsonNode> events = client.events(body);
        int last = events.size() - 1;
        assertThat(events.getFirst().get("choices").toString())
                .isEqualTo(
                        "[{\"index\":0,\"delta\":{\"reasoning_content\":null,\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,\"finish_reason\":null,\"matched_stop\":null}]");
        assertThat(events.get(last).asText()).isEqualTo("[DONE]");
        assertThat(events.get(last - 1).at("/usage/completion_tokens").intValue())
                .isPositive();
        assertThat(TOKENIZER.decode(ids(events.get(last - 2).at("/sglext/output_ids/0"))))
                .isEqualTo("Plain text 日.<|im_end|>");
        assertThat(events.get(last - 2).get("choices").size()).isZero();
        assertThat(events.get(last - 3).at("/choices/0/finish_reason").asText()).isEqualTo("stop");
        assertThat(events.stream()
                        .limit(last - 3)
                        .noneMatch(event -> event.at("/choices/0/finish_reason").isTextual()))
                .isTrue();
    }

    @Test
    void headers_ask_for_ids_too_and_can_have_them_framed() throws Exception {
        String text = client.post(
                        "/v1/chat/completions",
                        chat("x").put("stream", true),
                        "x-sglext-return-output-ids",
                        "1",
                        "x-sglext-ids-framed",
                        "1")
                .text();
        assertThat(text)
                .contains("event: sglext_ids\ndata: {")
                .contains("\"output_ids\":[[")
                .doesNotContain("input_ids");
    }

    @Test
    void a_plain_stream_loses_the_logprobs_of_steps_without_text_and_a_parser_saves_them() throws Exception {
        int all = client.ok(chat("x").put("logprobs", true))
                .at("/choices/0/logprobs/content")
                .size();
        assertThat(logprobs(client.events(chat("x").put("logprobs", true)))).isEqualTo(all);
        try (SimServer plain =
                SimServer.start(OPTIONS.toBuilder().toolParser(false).build())) {
            assertThat(logprobs(new Client(plain).events(chat("x").put("logprobs", true))))
                    .isEqualTo(all - 3); // two parts of a character, and the end of the turn
        }
    }

    @Test
    void a_streamed_call_names_all_keys_of_its_delta() throws Exception {
        List<JsonNode> calls = client.events(calling()).stream()
                .filter(event -> event.at("/choices/0/delta/tool_calls").isArray())
                .toList();
        assertThat(keys(calls.getFirst().at("/choices/0/delta")))
                .containsExactly("role", "content", "reasoning_content", "tool_calls");
        assertThat(calls.getFirst().at("/choices/0/delta/tool_calls/0/function").toString())
                .isEqualTo("{\"name\":\"look\",\"arguments\":\"\"}");
        StringBuilder arguments = new StringBuilder();
        calls.forEach(call -> arguments.append(
                call.at("/choices/0/delta/tool_calls/0/function/arguments").asText()));
        assertThat(arguments.toString()).isEqualTo("{\"city\": \"Rome\"}");
    }

    @Test
    void calls_of_tools_that_were_not_offered_are_left_out() throws Exception {
        ObjectNode body = chat("call");
        body.putArray("tools").add(Client.tool("other"));
        JsonNode message = client.ok(body).at("/choices/0/message");
        assertThat(message.has("tool_calls")).isFalse();
        assertThat(message.get("content").asText()).isEqualTo("Sure.");
        assertThat(client.events(body))
                .noneMatch(event -> event.at("/choices/0/delta/tool_calls").isArray());
    }

    @Test
    void whole_only_flags_are_refused_in_a_stream() throws Exception {
        for (String flag : List.of("return_token_ids", "return_prompt_token_ids", "return_meta_info")) {
            Client.Reply reply = client.post(
                    "/v1/chat/completions", chat("x").put("stream", true).put(flag, true));
            assertThat(reply.status()).isEqualTo(400);
            assertThat(keys(reply.json())).containsExactly("object", "message", "type", "param", "code");
            assertThat(reply.json().get("type").asText()).isEqualTo("BadRequest");
        }
    }

    @Test
    void errors_are_flat_and_a_limit_that_does_not_fit_is_refused() throws Exception {
        JsonNode tooLong =
                client.post("/v1/chat/completions", chat("word ".repeat(500))).json();
        assertThat(tooLong.get("message").asText())
                .matches("The input \\(\\d+ tokens\\) is longer than the model's context length \\(400 tokens\\)\\.");
        Client.Reply tooMuch =
                client.post("/v1/chat/completions", chat("word ".repeat(100)).put("max_tokens", 390));
        assertThat(tooMuch.status()).isEqualTo(400);
        assertThat(tooMuch.json().get("message").asText())
                .startsWith("Requested token count exceeds the model's maximum context length of 400");
        assertThat(client.post("/v1/chat/completions", chat("x").put("model", "nope"))
                        .status())
                .isEqualTo(404);
        assertThat(client.post("/v1/chat/completions", "{").json().get("type").asText())
                .isEqualTo("Bad Request");
    }

    @Test
    void input_ids_replace_the_messages_media_included() throws Exception {
        ObjectNode body = chat("x").put("return_token_ids", true);
        Client.messages(body)
                .addObject()
                .put("role", "user")
                .putArray("content")
                .addObject()
                .put("type", "image_url")
                .putObject("image_url")
                .put("url", "data:,");
        body.set("input_ids", Json.ids(new int[] {1, 50, 60}));
        assertThat(ids(client.ok(body).at("/choices/0/prompt_token_ids"))).containsExactly(1, 50, 60);
    }

    @Test
    void tokenize_and_detokenize_have_sglangs_shape() throws Exception {
        JsonNode tokenized = client.post("/v1/tokenize", calling()).json();
        assertThat(keys(tokenized)).containsExactly("tokens", "count", "max_model_len");
        assertThat(ids(tokenized.get("tokens")))
                .isEqualTo(
                        ids(client.ok(calling().put("return_token_ids", true)).at("/choices/0/prompt_token_ids")));
        ObjectNode tokens = Json.object();
        tokens.set("tokens", Json.ids(TOKENIZER.encode("Hi there")));
        assertThat(client.post("/detokenize", tokens).text()).isEqualTo("{\"text\":\"Hi there\"}");
    }

    @Test
    void tools_that_may_not_be_called_are_not_in_the_prompt() throws Exception {
        ObjectNode body = calling().put("tool_choice", "none").put("return_token_ids", true);
        assertThat(TOKENIZER.decode(ids(client.ok(body).at("/choices/0/prompt_token_ids"))))
                .doesNotContain("look");
    }

    @Test
    void a_cut_inside_a_character_shows_its_half() throws Exception {
        ObjectNode body = chat("x");
        body.put("max_tokens", TOKENIZER.encode("Plain text 日").length - 1);
        assertThat(client.ok(body).at("/choices/0/message/content").asText()).isEqualTo("Plain text \ufffd");
    }

    private static int logprobs(List<JsonNode> events) {
        return events.stream()
                .mapToInt(event -> event.at("/choices/0/logprobs/content").size())
                .sum();
    }
}
