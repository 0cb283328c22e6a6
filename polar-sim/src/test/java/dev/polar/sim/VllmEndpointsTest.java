package dev.polar.sim;

import static dev.polar.sim.Client.chat;
import static dev.polar.sim.Client.ids;
import static dev.polar.sim.Client.keys;
import static dev.polar.sim.Client.withIds;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class VllmEndpointsTest {
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
    void tokenize_renders_as_chat_does() throws Exception {
        ObjectNode body = withIds(chat("Hello"));
        body.putArray("tools").add(Client.tool("look"));
        JsonNode tokenized = client.post("/tokenize", body).json();
        assertThat(keys(tokenized)).containsExactly("count", "max_model_len", "tokens", "token_strs");
        assertThat(tokenized.get("token_strs").isNull()).isTrue();
        assertThat(ids(tokenized.get("tokens"))).isEqualTo(ids(client.ok(body).get("prompt_token_ids")));
        assertThat(tokenized.get("count").intValue())
                .isEqualTo(tokenized.get("tokens").size());
        JsonNode closed = client.post("/tokenize", body.put("add_generation_prompt", false))
                .json();
        assertThat(TOKENIZER.decode(ids(closed.get("tokens")))).endsWith("Hello<|im_end|>\n");
    }

    @Test
    void tokenize_takes_a_prompt_and_spells_its_tokens() throws Exception {
        JsonNode answer = client.post(
                        "/tokenize",
                        Json.object().put("prompt", "<|im_start|>system\n").put("return_token_strs", true))
                .json();
        assertThat(answer.get("token_strs").toString()).isEqualTo("[\"<|im_start|>\",\"system\",\"Ċ\"]");
    }

    @Test
    void detokenize_gives_replacements_for_halves_and_nothing_for_strangers() throws Exception {
        int[] half = Arrays.copyOf(TOKENIZER.encode("日"), 1);
        ObjectNode body = Json.object().put("model", "sim");
        body.set("tokens", Json.ids(half));
        assertThat(client.post("/detokenize", body).text()).isEqualTo("{\"prompt\":\"\ufffd\"}");
        body.set("tokens", Json.ids(new int[] {TOKENIZER.encode("Hello")[0], 999999, TOKENIZER.endOfTurn()}));
        assertThat(client.post("/detokenize", body).json().get("prompt").asText())
                .endsWith("<|im_end|>");
    }

    @Test
    void models_health_version_and_metrics_answer() throws Exception {
        JsonNode model = client.get("/v1/models").json().at("/data/0");
        assertThat(keys(model))
                .containsExactly(
                        "id", "object", "created", "owned_by", "root", "parent", "max_model_len", "permission");
        assertThat(model.get("id").asText()).isEqualTo("sim");
        assertThat(client.get("/health").status()).isEqualTo(200);
        assertThat(client.get("/health").text()).isEmpty();
        assertThat(client.get("/version").text()).isEqualTo("{\"version\":\"0.32.0\"}");
        assertThat(client.get("/metrics").text())
                .contains("vllm:num_requests_running{engine=\"0\",model_name=\"sim\"} 0.0");
    }

    @Test
    void ids_that_are_given_are_the_prompt() throws Exception {
        int[] given = TOKENIZER.respell(
                TOKENIZER.encode("<|im_start|>user\nSomething else<|im_end|>\n<|im_start|>assistant\n"),
                1,
                new java.util.SplittableRandom(1));
        ObjectNode body = withIds(chat("Hello"));
        body.putObject("kv_transfer_params").set("prompt_token_ids", Json.ids(given));
        JsonNode answer = client.ok(body);
        assertThat(ids(answer.get("prompt_token_ids"))).isEqualTo(given);
        assertThat(ids(client.events(body).getFirst().get("prompt_token_ids"))).isEqualTo(given);
        assertThat(answer.at("/usage/prompt_tokens").intValue()).isEqualTo(given.length);
    }

    @Test
    void given_ids_are_dropped_in_silence_with_echo_and_with_media() throws Exception {
        ObjectNode echo = withIds(chat("Hello")).put("echo", true);
        echo.putObject("kv_transfer_params").set("prompt_token_ids", Json.ids(new int[] {5, 6}));
        assertThat(client.ok(echo).get("prompt_token_ids").size()).isGreaterThan(2);
        ObjectNode image = withIds(chat("Hello"));
        Client.messages(image)
                .addObject()
                .put("role", "user")
                .putArray("content")
                .addObject()
                .put("type", "image_url")
                .putObject("image_url")
                .put("url", "data:,");
        image.putObject("kv_transfer_params").set("prompt_token_ids", Json.ids(new int[] {5, 6}));
        assertThat(ids(client.ok(image).get("prompt_token_ids"))).contains(TOKENIZER.imagePlaceholder());
        ObjectNode top = withIds(chat("Hello"));
        top.set("prompt_token_ids", Json.ids(new int[] {5, 6}));
        assertThat(client.ok(top).get("prompt_token_ids").size()).isGreaterThan(2);
    }

    @Test
    void given_ids_that_cannot_be_are_refused() throws Exception {
        for (int[] ids : new int[][] {{}, {999999}}) {
            ObjectNode body = chat("Hello");
            body.putObject("kv_transfer_params").set("prompt_token_ids", Json.ids(ids));
            assertThat(client.post("/v1/chat/completions", body).status()).isEqualTo(400);
        }
    }

    @Test
    void the_request_id_is_the_callers() throws Exception {
        assertThat(client.post("/v1/chat/completions", chat("x"), "x-request-id", "abc")
                        .json()
                        .get("id")
                        .asText())
                .isEqualTo("chatcmpl-abc");
        assertThat(client.ok(chat("x").put("request_id", "def")).get("id").asText())
                .isEqualTo("chatcmpl-def");
    }

    @Test
    void what_was_received_can_be_asked_for() throws Exception {
        client.post("/v1/chat/completions", chat("remember me"), "x-mark", "7");
        JsonNode last = client.get("/sim/requests?n=1").json().at("/requests/0");
        assertThat(last.get("path").asText()).isEqualTo("/v1/chat/completions");
        assertThat(last.at("/headers/x-mark").asText()).isEqualTo("7");
        assertThat(last.at("/body/messages/0/content").asText()).isEqualTo("remember me");
        assertThat(sim.requests().getLast().body()).isEqualTo(last.get("body"));
    }

    @Test
    void controls_are_404_when_they_are_off() throws Exception {
        try (SimServer plain =
                SimServer.start(SimOptions.builder().controls(false).build())) {
            assertThat(new Client(plain).post("/pause", Json.object()).status()).isEqualTo(404);
        }
        assertThat(client.post("/update_weight_version", Json.object().put("new_version", "step-7"))
                        .text())
                .isEqualTo("{\"success\":true,\"new_version\":\"step-7\"}");
        assertThat(client.get("/weight_info").text()).isEqualTo("{\"weight_version\":\"step-7\"}");
    }
}
