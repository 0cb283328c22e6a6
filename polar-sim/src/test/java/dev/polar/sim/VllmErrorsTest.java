package dev.polar.sim;

import static dev.polar.sim.Client.chat;
import static dev.polar.sim.Client.keys;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class VllmErrorsTest {
    private static SimServer sim;
    private static Client client;

    @BeforeAll
    static void start() throws Exception {
        sim = SimServer.start(
                SimOptions.builder().contextLength(256).apiKey("k").build());
        client = new Client(sim);
    }

    @AfterAll
    static void stop() {
        sim.close();
    }

    private static Client.Reply post(ObjectNode body) throws Exception {
        return client.post("/v1/chat/completions", body, "authorization", "Bearer k");
    }

    private static void check(Client.Reply reply, int status, String type, String param) {
        assertThat(reply.status()).isEqualTo(status);
        assertThat(keys(reply.json().get("error"))).containsExactly("message", "type", "param", "code");
        assertThat(reply.json().at("/error/type").asText()).isEqualTo(type);
        assertThat(reply.json().at("/error/param").asText()).isEqualTo(param);
        assertThat(reply.json().at("/error/code").intValue()).isEqualTo(status);
    }

    @Test
    void a_prompt_that_is_too_long_is_refused_also_when_streamed() throws Exception {
        ObjectNode body = chat("word ".repeat(400));
        check(post(body), 400, "BadRequestError", "input_tokens");
        check(post(body.put("stream", true)), 400, "BadRequestError", "input_tokens");
        assertThat(post(body).json().at("/error/message").asText())
                .startsWith(
                        "This model's maximum context length is 256 tokens. However, your prompt contains at least ");
    }

    @Test
    void limits_that_make_no_sense_are_refused() throws Exception {
        check(post(chat("x").put("max_tokens", 100000)), 400, "BadRequestError", "max_tokens");
        check(post(chat("x").put("max_tokens", 0)), 400, "BadRequestError", "max_tokens");
        check(post(chat("x").put("max_tokens", -1)), 400, "BadRequestError", "max_tokens");
        check(post(chat("x").put("max_tokens", "ten")), 400, "Bad Request", "body.max_tokens");
        check(post(chat("x").put("n", 2).put("temperature", 0)), 400, "BadRequestError", "null");
        check(post(chat("x").put("logprobs", true).put("top_logprobs", 21)), 400, "BadRequestError", "logprobs");
        check(post(chat("x").put("top_logprobs", 2)), 400, "BadRequestError", "top_logprobs");
    }

    @Test
    void an_unknown_model_is_404_and_none_is_fine() throws Exception {
        check(post(chat("x").put("model", "nope")), 404, "NotFoundError", "model");
        assertThat(post(chat("x").put("model", "nope"))
                        .json()
                        .at("/error/message")
                        .asText())
                .isEqualTo("The model `nope` does not exist. Valid aliases: sim.");
        assertThat(post(chat("x")).status()).isEqualTo(200);
    }

    @Test
    void bad_json_says_where_and_missing_messages_say_so() throws Exception {
        Client.Reply reply = client.post("/v1/chat/completions", "{\"messages\": [}", "authorization", "Bearer k");
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.json().at("/error/param").asText()).matches("body\\.\\d+");
        check(post(Json.object()), 400, "Bad Request", "body.messages");
        ObjectNode empty = Json.object();
        empty.putArray("messages");
        check(post(empty), 400, "BadRequestError", "null");
        check(
                client.post(
                        "/v1/chat/completions", chat("x"), "authorization", "Bearer k", "content-type", "text/plain"),
                400,
                "Bad Request",
                "null");
    }

    @Test
    void tool_choices_without_their_tools_are_refused() throws Exception {
        check(post(chat("x").put("tool_choice", "sometimes")), 400, "BadRequestError", "tool_choice");
        check(post(chat("x").put("tool_choice", "auto")), 400, "BadRequestError", "tool_choice");
        ObjectNode other = chat("x");
        other.putArray("tools").add(Client.tool("a"));
        other.putObject("tool_choice")
                .put("type", "function")
                .putObject("function")
                .put("name", "b");
        check(post(other), 400, "BadRequestError", "tool_choice");
    }

    @Test
    void strange_roles_and_unknown_fields_are_accepted() throws Exception {
        ObjectNode body = chat("x").put("surprise", 1);
        Client.messages(body).addObject().put("role", "alien").put("content", "?");
        assertThat(post(body).status()).isEqualTo(200);
    }

    @Test
    void a_key_guards_the_models_endpoints_only() throws Exception {
        Client.Reply reply = client.post("/v1/chat/completions", chat("x"));
        assertThat(reply.status()).isEqualTo(401);
        assertThat(reply.text()).isEqualTo("{\"error\":\"Unauthorized\"}");
        assertThat(client.get("/health").status()).isEqualTo(200);
        assertThat(client.post("/tokenize", Json.object().put("prompt", "a")).status())
                .isEqualTo(200);
    }

    @Test
    void unknown_paths_and_methods_have_the_frameworks_answer() throws Exception {
        assertThat(client.get("/nothing").text()).isEqualTo("{\"detail\":\"Not Found\"}");
        assertThat(client.get("/tokenize").text()).isEqualTo("{\"detail\":\"Method Not Allowed\"}");
        assertThat(client.get("/tokenize").status()).isEqualTo(405);
    }
}
