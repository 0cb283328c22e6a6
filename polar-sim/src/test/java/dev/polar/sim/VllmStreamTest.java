package dev.polar.sim;

import static dev.polar.sim.Client.chat;
import static dev.polar.sim.Client.ids;
import static dev.polar.sim.Client.keys;
import static dev.polar.sim.Client.withIds;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class VllmStreamTest {
    private static final SimTokenizer TOKENIZER = SimTokenizer.shared();
    private static final String SPOKEN = "The capital of France is Paris.";
    private static SimServer sim;
    private static Client client;

    @BeforeAll
    static void start() throws Exception {
        sim = SimServer.start(SimOptions.builder()
                .policy((request, random) -> new Policy.Decision(Answer.text(
                        request.at("/messages/0/content").asText().startsWith("say ")
                                ? request.at("/messages/0/content").asText().substring(4)
                                : SPOKEN)))
                .build());
        client = new Client(sim);
    }

    @AfterAll
    static void stop() {
        sim.close();
    }

    private static ObjectNode usage(ObjectNode body, boolean continuous) {
        body.putObject("stream_options").put("include_usage", true).put("continuous_usage_stats", continuous);
        return body;
    }

    @Test
    void chunks_have_vllms_keys_and_one_token_each() throws Exception {
        List<JsonNode> events = client.events(usage(withIds(chat("x")), true));
        JsonNode role = events.getFirst();
        assertThat(keys(role))
                .containsExactly(
                        "id", "object", "created", "model", "choices", "usage", "prompt_token_ids", "prompt_text");
        assertThat(role.get("choices").toString())
                .isEqualTo(
                        "[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,\"finish_reason\":null}]");
        assertThat(role.at("/usage/completion_tokens").intValue()).isZero();
        JsonNode first = events.get(1);
        assertThat(keys(first)).containsExactly("id", "object", "created", "model", "choices", "usage");
        assertThat(keys(first.at("/choices/0")))
                .containsExactly("index", "delta", "logprobs", "finish_reason", "token_ids");
        assertThat(first.at("/choices/0/delta").toString()).isEqualTo("{\"content\":\"The\"}");
        assertThat(first.at("/choices/0/token_ids").size()).isEqualTo(1);
        assertThat(keys(first.get("usage")))
                .containsExactly("prompt_tokens", "total_tokens", "completion_tokens", "completion_tokens_details");
        JsonNode finish = events.get(events.size() - 3);
        assertThat(keys(finish.at("/choices/0")))
                .containsExactly("index", "delta", "logprobs", "finish_reason", "stop_reason", "token_ids");
        assertThat(finish.at("/choices/0/delta").toString()).isEqualTo("{}");
        assertThat(ids(finish.at("/choices/0/token_ids"))).containsExactly(TOKENIZER.endOfTurn());
        JsonNode last = events.get(events.size() - 2);
        assertThat(keys(last))
                .containsExactly("id", "object", "created", "model", "choices", "usage", "system_fingerprint");
        assertThat(keys(last.get("usage"))).containsExactly("prompt_tokens", "total_tokens", "completion_tokens");
        assertThat(events.getLast().asText()).isEqualTo("[DONE]");
    }

    @Test
    void without_ids_and_usage_the_keys_are_null_and_the_fingerprint_is_in_the_finish_chunk() throws Exception {
        List<JsonNode> events = client.events(chat("x"));
        assertThat(events.getFirst().get("prompt_token_ids").isNull()).isTrue();
        assertThat(events.get(1).at("/choices/0/token_ids").isNull()).isTrue();
        assertThat(events.get(1).has("usage")).isFalse();
        assertThat(events.get(events.size() - 2).has("system_fingerprint")).isTrue();
    }

    @Test
    void a_stream_says_the_same_as_a_whole_answer() throws Exception {
        JsonNode whole = client.ok(withIds(chat("x")).put("seed", 3)).at("/choices/0");
        StringBuilder text = new StringBuilder();
        List<Integer> ids = new ArrayList<>();
        List<JsonNode> logprobs = new ArrayList<>();
        for (JsonNode event : client.events(withIds(chat("x")).put("seed", 3))) {
            text.append(event.at("/choices/0/delta/content").asText(""));
            event.at("/choices/0/token_ids").forEach(id -> ids.add(id.intValue()));
            event.at("/choices/0/logprobs/content").forEach(logprobs::add);
        }
        assertThat(text.toString())
                .isEqualTo(whole.at("/message/content").asText())
                .isEqualTo(SPOKEN);
        assertThat(ids.stream().mapToInt(Integer::intValue).toArray()).isEqualTo(ids(whole.get("token_ids")));
        assertThat(logprobs.toString())
                .isEqualTo(asList(whole.at("/logprobs/content")).toString());
    }

    @Test
    void an_interval_puts_several_tokens_in_a_chunk_but_the_first_stands_alone() throws Exception {
        List<Integer> sizes = new ArrayList<>();
        for (JsonNode event : client.events(withIds(chat("x")).put("stream_interval", 4))) {
            if (event.at("/choices/0/token_ids").isArray()) {
                sizes.add(event.at("/choices/0/token_ids").size());
            }
        }
        assertThat(sizes).containsExactly(1, 4, 3);
    }

    @Test
    void text_lags_behind_its_ids_while_a_stop_string_may_begin() throws Exception {
        ObjectNode body = withIds(chat("x"));
        body.putArray("stop").add("France is");
        List<String> deltas = new ArrayList<>();
        JsonNode finish = null;
        for (JsonNode event : client.events(body)) {
            if (event.at("/choices/0/token_ids").isArray()) {
                deltas.add(event.at("/choices/0/delta").toString());
                finish = event.at("/choices/0");
            }
        }
        assertThat(deltas)
                .containsExactly(
                        "{}",
                        "{\"content\":\"The\"}",
                        "{\"content\":\" ca\"}",
                        "{\"content\":\"pital o\"}",
                        "{\"content\":\"f \"}");
        assertThat(finish.get("finish_reason").asText()).isEqualTo("stop");
        assertThat(finish.get("stop_reason").asText()).isEqualTo("France is");
    }

    @Test
    void parts_of_a_character_have_ids_and_no_text() throws Exception {
        List<JsonNode> chunks = client.events(withIds(chat("say 日"))).stream()
                .filter(event -> event.at("/choices/0/token_ids").isArray())
                .toList();
        JsonNode part = chunks.getFirst().at("/choices/0");
        assertThat(part.get("delta").toString()).isEqualTo("{}");
        assertThat(part.at("/logprobs/content/0/token").asText()).isEmpty();
        assertThat(part.at("/logprobs/content/0/bytes").size()).isZero();
        JsonNode whole = chunks.get(chunks.size() - 2).at("/choices/0");
        assertThat(whole.get("delta").toString()).isEqualTo("{\"content\":\"日\"}");
        assertThat(whole.at("/logprobs/content/0/bytes").toString()).isEqualTo("[230,151,165]");
    }

    @Test
    void two_choices_interleave_one_to_a_chunk() throws Exception {
        List<JsonNode> events = client.events(withIds(chat("x")).put("n", 2));
        assertThat(events.stream()
                        .filter(event -> event.has("prompt_token_ids"))
                        .map(event -> event.at("/choices/0/index").intValue()))
                .containsExactly(0, 1);
        assertThat(events.stream()
                        .limit(8)
                        .skip(4)
                        .map(event -> event.at("/choices/0/index").intValue()))
                .containsExactly(0, 1, 0, 1);
    }

    private static List<JsonNode> asList(JsonNode array) {
        List<JsonNode> out = new ArrayList<>();
        array.forEach(out::add);
        return out;
    }
}
