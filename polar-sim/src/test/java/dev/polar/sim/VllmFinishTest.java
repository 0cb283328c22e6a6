package dev.polar.sim;

import static dev.polar.sim.Client.chat;
import static dev.polar.sim.Client.ids;
import static dev.polar.sim.Client.withIds;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Why answers end, and which ids they then hold. */
class VllmFinishTest {
    private static final SimTokenizer TOKENIZER = SimTokenizer.shared();
    private static SimServer sim;
    private static Client client;

    @BeforeAll
    static void start() throws Exception {
        sim = SimServer.start(SimOptions.builder()
                .contextLength(256)
                .policy((request, random) -> new Policy.Decision(Answer.text("The capital of France is Paris.")))
                .build());
        client = new Client(sim);
    }

    @AfterAll
    static void stop() {
        sim.close();
    }

    private static void check(JsonNode answer, String content, String finish, String stopReason, String spelled) {
        JsonNode choice = answer.at("/choices/0");
        assertThat(choice.at("/message/content").asText()).isEqualTo(content);
        assertThat(choice.get("finish_reason").asText()).isEqualTo(finish);
        assertThat(choice.get("stop_reason").toString()).isEqualTo(stopReason);
        assertThat(TOKENIZER.decode(ids(choice.get("token_ids")))).isEqualTo(spelled);
        assertThat(choice.at("/logprobs/content").size())
                .isEqualTo(choice.get("token_ids").size());
    }

    private static ObjectNode request() {
        return withIds(chat("x"));
    }

    private static ObjectNode stopping(String stop) {
        ObjectNode body = request();
        body.putArray("stop").add(stop);
        return body;
    }

    @Test
    void cut_by_length_has_no_end_of_turn() throws Exception {
        check(
                client.ok(request().put("max_tokens", 5)),
                "The capital of France is",
                "length",
                "null",
                "The capital of France is");
    }

    @Test
    void a_stop_string_leaves_the_text_but_stays_in_the_ids() throws Exception {
        check(client.ok(stopping(" France")), "The capital of", "stop", "\" France\"", "The capital of France");
        check(client.ok(stopping("apit")), "The c", "stop", "\"apit\"", "The capital");
        check(
                client.ok(stopping(" France").put("include_stop_str_in_output", true)),
                "The capital of France",
                "stop",
                "\" France\"",
                "The capital of France");
    }

    @Test
    void a_stop_id_is_named_by_number_and_not_shown() throws Exception {
        int id = TOKENIZER.encode(" France")[0];
        ObjectNode body = request();
        body.putArray("stop_token_ids").add(id);
        check(client.ok(body), "The capital of", "stop", Integer.toString(id), "The capital of France");
    }

    @Test
    void an_ignored_end_of_turn_is_passed_over() throws Exception {
        JsonNode hidden = client.ok(request().put("ignore_eos", true).put("max_tokens", 12))
                .at("/choices/0");
        assertThat(hidden.at("/message/content").asText())
                .startsWith("The capital of France is Paris.")
                .doesNotContain("<|im_end|>");
        assertThat(hidden.get("finish_reason").asText()).isEqualTo("length");
        assertThat(ids(hidden.get("token_ids"))).hasSize(12).contains(TOKENIZER.endOfTurn());
        JsonNode shown = client.ok(request()
                        .put("ignore_eos", true)
                        .put("skip_special_tokens", false)
                        .put("max_tokens", 12))
                .at("/choices/0");
        assertThat(shown.at("/message/content").asText()).startsWith("The capital of France is Paris.<|im_end|>");
    }

    @Test
    void special_tokens_that_are_not_skipped_do_not_show_the_last_one() throws Exception {
        check(
                client.ok(request().put("skip_special_tokens", false)),
                "The capital of France is Paris.",
                "stop",
                "null",
                "The capital of France is Paris.<|im_end|>");
    }

    @Test
    void a_turn_does_not_end_before_its_minimum() throws Exception {
        int[] ids = ids(client.ok(request().put("min_tokens", 30)).at("/choices/0/token_ids"));
        assertThat(ids).hasSizeGreaterThan(30);
        assertThat(java.util.Arrays.stream(ids).limit(30)).doesNotContain(TOKENIZER.endOfTurn());
    }

    @Test
    void a_cut_inside_a_character_drops_the_part_but_keeps_its_ids() throws Exception {
        try (SimServer other = SimServer.start(SimOptions.builder()
                .policy((request, random) -> new Policy.Decision(Answer.text("日本")))
                .build())) {
            check(new Client(other).ok(request().put("max_tokens", 2)), "", "length", "null", "\ufffd");
        }
    }

    @Test
    void a_limit_that_does_not_fit_is_clamped_in_silence() throws Exception {
        JsonNode answer = client.ok(
                withIds(chat("word ".repeat(190))).put("max_tokens", 200).put("ignore_eos", true));
        assertThat(answer.at("/usage/total_tokens").intValue()).isEqualTo(256);
        assertThat(answer.at("/choices/0/finish_reason").asText()).isEqualTo("length");
    }

    @Test
    void usage_sums_up_all_choices() throws Exception {
        JsonNode answer = client.ok(request().put("n", 2).put("seed", 7));
        assertThat(answer.at("/usage/completion_tokens").intValue())
                .isEqualTo(answer.at("/choices/0/token_ids").size()
                        + answer.at("/choices/1/token_ids").size());
    }

    @Test
    void candidates_are_listed_best_first_and_ids_can_stand_for_texts() throws Exception {
        JsonNode entry = client.ok(request().put("top_logprobs", 3).put("return_tokens_as_token_ids", true))
                .at("/choices/0/logprobs/content/0");
        int the = TOKENIZER.encode("The")[0];
        assertThat(entry.get("token").asText()).isEqualTo("token_id:" + the);
        assertThat(entry.get("bytes").toString()).isEqualTo("[84,104,101]");
        assertThat(entry.get("top_logprobs").size()).isEqualTo(3);
        assertThat(entry.at("/top_logprobs/0/logprob").doubleValue())
                .isGreaterThanOrEqualTo(entry.at("/top_logprobs/1/logprob").doubleValue());
        assertThat(entry.at("/top_logprobs/0/bytes").size())
                .isEqualTo(entry.at("/top_logprobs/0/token").asText().length());
    }

    @Test
    void logprobs_are_those_of_the_ids() throws Exception {
        JsonNode answer = client.ok(request());
        TokenLogprobs line = new TokenLogprobs(ids(answer.get("prompt_token_ids")));
        double[] expected = java.util.Arrays.stream(ids(answer.at("/choices/0/token_ids")))
                .mapToDouble(line::append)
                .toArray();
        assertThat(Client.logprobs(answer.at("/choices/0/logprobs/content"))).containsExactly(expected);
    }

    @Test
    void prompt_logprobs_are_those_of_the_prompts_ids() throws Exception {
        JsonNode answer = client.ok(request().put("prompt_logprobs", 0));
        int[] prompt = ids(answer.get("prompt_token_ids"));
        assertThat(answer.get("prompt_logprobs").size()).isEqualTo(prompt.length);
        assertThat(answer.at("/prompt_logprobs/0").isNull()).isTrue();
        JsonNode second = answer.at("/prompt_logprobs/1/" + prompt[1]);
        assertThat(second.get("logprob").doubleValue())
                .isEqualTo(new TokenLogprobs(new int[] {prompt[0]}).append(prompt[1]));
        assertThat(second.get("rank").intValue()).isBetween(1, TOKENIZER.size());
        assertThat(client.post(
                                "/v1/chat/completions",
                                request().put("prompt_logprobs", 0).put("stream", true))
                        .status())
                .isEqualTo(400);
    }

    @Test
    void a_json_schema_is_obeyed() throws Exception {
        ObjectNode body = request();
        ObjectNode schema = body.putObject("response_format")
                .put("type", "json_schema")
                .putObject("json_schema")
                .put("name", "s")
                .putObject("schema");
        schema.put("type", "object").putArray("required").add("count").add("tags");
        schema.putObject("properties").putObject("count").put("type", "integer");
        ((ObjectNode) schema.get("properties"))
                .putObject("tags")
                .put("type", "array")
                .putObject("items")
                .put("type", "string");
        JsonNode value = Json.MAPPER.readTree(
                client.ok(body).at("/choices/0/message/content").asText());
        assertThat(value.get("count").isInt()).isTrue();
        assertThat(value.at("/tags/0").isTextual()).isTrue();
    }
}
