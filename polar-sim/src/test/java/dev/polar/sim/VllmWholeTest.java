package dev.polar.sim;

import static dev.polar.sim.Client.chat;
import static dev.polar.sim.Client.ids;
import static dev.polar.sim.Client.keys;
import static dev.polar.sim.Client.withIds;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class VllmWholeTest {
    private static final SimTokenizer TOKENIZER = SimTokenizer.shared();
    private static SimServer sim;
    private static Client client;

    @BeforeAll
    static void start() throws Exception {
        sim = SimServer.start(SimOptions.defaults());
        client = new Client(sim);
    }

    @AfterAll
    static void stop() {
        sim.close();
    }

    @Test
    void an_answer_has_vllms_keys_in_vllms_order() throws Exception {
        JsonNode answer = client.ok(withIds(chat("Hello")).put("model", "sim"));
        assertThat(keys(answer))
                .containsExactly(
                        "id",
                        "object",
                        "created",
                        "model",
                        "choices",
                        "service_tier",
                        "system_fingerprint",
                        "usage",
                        "prompt_logprobs",
                        "prompt_token_ids",
                        "prompt_text",
                        "kv_transfer_params",
                        "ec_transfer_params",
                        "metrics");
        JsonNode choice = answer.at("/choices/0");
        assertThat(keys(choice))
                .containsExactly(
                        "index", "message", "logprobs", "finish_reason", "stop_reason", "token_ids", "routed_experts");
        assertThat(keys(choice.get("message")))
                .containsExactly("role", "content", "refusal", "annotations", "audio", "function_call", "reasoning");
        assertThat(keys(answer.get("usage")))
                .containsExactly(
                        "prompt_tokens",
                        "total_tokens",
                        "completion_tokens",
                        "prompt_tokens_details",
                        "completion_tokens_details");
        assertThat(keys(choice.at("/logprobs/content/0"))).containsExactly("token", "logprob", "bytes", "top_logprobs");
        assertThat(choice.get("finish_reason").asText()).isEqualTo("stop");
        assertThat(choice.get("stop_reason").isNull()).isTrue();
    }

    @Test
    void the_ids_spell_the_prompt_and_the_answer_and_end_the_turn() throws Exception {
        JsonNode answer = client.ok(withIds(chat("Hello")));
        JsonNode choice = answer.at("/choices/0");
        int[] sampled = ids(choice.get("token_ids"));
        assertThat(TOKENIZER.decode(ids(answer.get("prompt_token_ids"))))
                .endsWith("<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n");
        assertThat(TOKENIZER.decode(sampled))
                .isEqualTo(choice.at("/message/content").asText() + "<|im_end|>");
        assertThat(sampled[sampled.length - 1]).isEqualTo(TOKENIZER.endOfTurn());
        assertThat(choice.at("/logprobs/content").size())
                .isEqualTo(sampled.length)
                .isEqualTo(answer.at("/usage/completion_tokens").intValue());
    }

    @Test
    void without_the_flag_both_id_keys_are_null() throws Exception {
        JsonNode answer = client.ok(chat("Hello"));
        assertThat(answer.get("prompt_token_ids").isNull()).isTrue();
        assertThat(answer.at("/choices/0/token_ids").isNull()).isTrue();
        assertThat(answer.at("/choices/0/logprobs").isNull()).isTrue();
    }

    @Test
    void draws_differ_without_a_seed_and_repeat_with_one() throws Exception {
        List<String> free = new ArrayList<>();
        List<String> seeded = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            free.add(client.ok(chat("Hello")).at("/choices/0/message/content").asText());
            seeded.add(client.ok(chat("Hello").put("seed", 7))
                    .at("/choices/0/message/content")
                    .asText());
        }
        assertThat(free.stream().distinct().count()).isGreaterThan(1);
        assertThat(seeded.stream().distinct().count()).isEqualTo(1);
    }
}
