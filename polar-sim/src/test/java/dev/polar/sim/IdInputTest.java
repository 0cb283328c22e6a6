package dev.polar.sim;

import static dev.polar.sim.Client.chat;
import static dev.polar.sim.Client.ids;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A prompt that is given as ids instead of messages, in both dialects. */
class IdInputTest {
    private static final SimTokenizer TOKENIZER = SimTokenizer.shared();
    /** The prompt of {@code chat("Hello")} in tokens that no tokenizer makes. */
    private static final int[] GIVEN = TOKENIZER.respell(
            TOKENIZER.encode(ChatTemplate.render(
                    chat("Hello").get("messages"), Json.array().add(Client.tool("look")), true, false)),
            1,
            new SplittableRandom(1));

    private static SimOptions.Builder options(SimEngine engine) {
        var call = new Answer.Call("look", Json.object().put("city", "Köln"));
        return SimOptions.builder()
                .engine(engine)
                .contextLength(1000)
                .policy((request, random) ->
                        new Policy.Decision(new Answer.Message("", "Let me look, dear.", List.of(call))));
    }

    private static ObjectNode request(SimEngine engine, boolean stream) {
        ObjectNode body = chat("Hello").put("logprobs", true).put("seed", 7);
        body.putArray("tools").add(Client.tool("look"));
        if (engine == SimEngine.VLLM) {
            return body.put("return_token_ids", true);
        }
        return stream
                ? body.put("return_input_ids_in_sglext", true).put("return_output_ids_in_sglext", true)
                : body.put("return_prompt_token_ids", true).put("return_token_ids", true);
    }

    private static ObjectNode give(ObjectNode body, SimEngine engine, int... ids) {
        if (engine == SimEngine.VLLM) {
            body.putObject("kv_transfer_params").set("prompt_token_ids", Json.ids(ids));
        } else {
            body.set("input_ids", Json.ids(ids));
        }
        return body;
    }

    private static int[] prompt(SimEngine engine, JsonNode answer) {
        return ids(
                engine == SimEngine.VLLM ? answer.get("prompt_token_ids") : answer.at("/choices/0/prompt_token_ids"));
    }

    private static int[] streamedPrompt(SimEngine engine, List<JsonNode> events) {
        for (JsonNode event : events) {
            JsonNode ids = engine == SimEngine.VLLM ? event.path("prompt_token_ids") : event.at("/sglext/input_ids");
            if (ids.isArray()) {
                return ids(ids);
            }
        }
        throw new AssertionError("no prompt ids in " + events);
    }

    private static ObjectNode withImage(ObjectNode body) {
        var content = Client.messages(body).addObject().put("role", "user").putArray("content");
        content.addObject().put("type", "text").put("text", "What is it?");
        content.addObject().put("type", "image_url").putObject("image_url").put("url", "data:,");
        return body;
    }

    @ParameterizedTest
    @EnumSource
    void given_ids_are_the_prompt_of_whole_and_streamed_answers(SimEngine engine) throws Exception {
        try (var sim = SimServer.start(options(engine).build())) {
            var client = new Client(sim);
            assertThat(prompt(engine, client.ok(give(request(engine, false), engine, GIVEN))))
                    .isEqualTo(GIVEN);
            var events = client.events(give(request(engine, true), engine, GIVEN));
            assertThat(streamedPrompt(engine, events)).isEqualTo(GIVEN);
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_answer_to_the_rendered_ids_is_the_answer_to_the_messages(SimEngine engine) throws Exception {
        try (var sim = SimServer.start(options(engine).nonCanonical(0.3).build())) {
            var client = new Client(sim);
            JsonNode plain = client.ok(request(engine, false));
            JsonNode given = client.ok(give(request(engine, false), engine, prompt(engine, plain)));
            for (var differs : List.of(plain, given)) {
                ((ObjectNode) differs).without(List.of("id", "created"));
                differs.at("/choices/0/message/tool_calls").forEach(call -> ((ObjectNode) call).remove("id"));
            }
            assertThat(given).isEqualTo(plain);
            assertThat(given.at("/choices/0/message/tool_calls")).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void log_probabilities_follow_the_ids_that_were_given(SimEngine engine) throws Exception {
        try (var sim = SimServer.start(options(engine).build())) {
            JsonNode choice = new Client(sim)
                    .ok(give(request(engine, false), engine, GIVEN))
                    .at("/choices/0");
            var scores = new TokenLogprobs(GIVEN);
            var expected = IntStream.of(ids(choice.get(engine == SimEngine.VLLM ? "token_ids" : "response_token_ids")))
                    .mapToDouble(scores::append)
                    .toArray();
            assertThat(Client.logprobs(choice.at("/logprobs/content"))).isEqualTo(expected);
        }
    }

    @Test
    void vllm_drops_ids_in_silence_with_echo_and_with_anything_but_text() throws Exception {
        try (var sim = SimServer.start(options(SimEngine.VLLM).build())) {
            var client = new Client(sim);
            int[] rendered = prompt(SimEngine.VLLM, client.ok(request(SimEngine.VLLM, false)));
            JsonNode echo = client.ok(give(request(SimEngine.VLLM, false).put("echo", true), SimEngine.VLLM, GIVEN));
            assertThat(prompt(SimEngine.VLLM, echo)).isEqualTo(rendered);
            JsonNode image = client.ok(give(withImage(request(SimEngine.VLLM, false)), SimEngine.VLLM, GIVEN));
            assertThat(prompt(SimEngine.VLLM, image)).contains(TOKENIZER.imagePlaceholder());
            var streamed = client.events(give(withImage(request(SimEngine.VLLM, true)), SimEngine.VLLM, GIVEN));
            assertThat(streamedPrompt(SimEngine.VLLM, streamed)).isEqualTo(prompt(SimEngine.VLLM, image));
        }
    }

    @Test
    void vllm_takes_ids_beside_text_in_parts() throws Exception {
        try (var sim = SimServer.start(options(SimEngine.VLLM).build())) {
            ObjectNode body = request(SimEngine.VLLM, false);
            Client.messages(body)
                    .addObject()
                    .put("role", "user")
                    .putArray("content")
                    .addObject()
                    .put("type", "text")
                    .put("text", "And?");
            assertThat(prompt(SimEngine.VLLM, new Client(sim).ok(give(body, SimEngine.VLLM, GIVEN))))
                    .isEqualTo(GIVEN);
        }
    }

    @Test
    void sglang_takes_ids_and_drops_the_media() throws Exception {
        try (var sim = SimServer.start(options(SimEngine.SGLANG).build())) {
            ObjectNode body = give(withImage(request(SimEngine.SGLANG, false)), SimEngine.SGLANG, GIVEN);
            assertThat(prompt(SimEngine.SGLANG, new Client(sim).ok(body))).isEqualTo(GIVEN);
        }
    }

    @ParameterizedTest
    @EnumSource
    void ids_under_another_name_are_ignored(SimEngine engine) throws Exception {
        try (var sim = SimServer.start(options(engine).build())) {
            var client = new Client(sim);
            int[] rendered = prompt(engine, client.ok(request(engine, false)));
            ObjectNode top = request(engine, false);
            top.set("prompt_token_ids", Json.ids(GIVEN));
            assertThat(prompt(engine, client.ok(top))).isEqualTo(rendered);
            var other = engine == SimEngine.VLLM ? SimEngine.SGLANG : SimEngine.VLLM;
            assertThat(prompt(engine, client.ok(give(request(engine, false), other, GIVEN))))
                    .isEqualTo(rendered);
        }
    }

    @ParameterizedTest
    @EnumSource
    void no_ids_and_too_many_are_refused(SimEngine engine) throws Exception {
        try (var sim = SimServer.start(options(engine).build())) {
            var client = new Client(sim);
            for (int[] wrong : List.of(new int[0], new int[1000])) {
                for (boolean stream : List.of(false, true)) {
                    var body = give(request(engine, stream), engine, wrong).put("stream", stream);
                    var reply = client.post("/v1/chat/completions", body);
                    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
                }
            }
        }
    }

    @Test
    void vllm_refuses_ids_out_of_its_vocabulary_and_sglang_does_not_look() throws Exception {
        for (int wrong : List.of(-1, TOKENIZER.size(), 1 << 30)) {
            int[] prompt = {1, wrong};
            try (var sim = SimServer.start(options(SimEngine.VLLM).build())) {
                var body = give(request(SimEngine.VLLM, false), SimEngine.VLLM, prompt);
                assertThat(new Client(sim).post("/v1/chat/completions", body).status())
                        .isEqualTo(400);
            }
            try (var sim = SimServer.start(options(SimEngine.SGLANG).build())) {
                var body = give(request(SimEngine.SGLANG, false), SimEngine.SGLANG, prompt);
                assertThat(prompt(SimEngine.SGLANG, new Client(sim).ok(body))).isEqualTo(prompt);
            }
        }
    }

    @Test
    void sglang_wants_messages_beside_ids_and_vllm_does_not() throws Exception {
        for (var engine : SimEngine.values()) {
            try (var sim = SimServer.start(options(engine).build())) {
                ObjectNode body = give(request(engine, false), engine, GIVEN);
                Client.messages(body).removeAll();
                assertThat(new Client(sim).post("/v1/chat/completions", body).status())
                        .isEqualTo(engine == SimEngine.VLLM ? 200 : 400);
            }
        }
    }

    @Test
    void vllm_names_the_field_of_ids_that_cannot_be() throws Exception {
        try (var sim = SimServer.start(options(SimEngine.VLLM).build())) {
            for (var wrong : List.of("[]", "[1,-1]", "[1.5]", "[\"a\"]", "\"x\"", "[1,1000000]", "[1,4294967297]")) {
                ObjectNode body = request(SimEngine.VLLM, false);
                body.putObject("kv_transfer_params").set("prompt_token_ids", Json.MAPPER.readTree(wrong));
                var reply = new Client(sim).post("/v1/chat/completions", body);
                assertThat(reply.json().at("/error/param").asText())
                        .as(reply.text())
                        .isEqualTo("kv_transfer_params.prompt_token_ids");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_that_ignores_ids_renders_the_messages(SimEngine engine) throws Exception {
        try (var sim = SimServer.start(options(engine).idInput(IdInput.IGNORED).build())) {
            var client = new Client(sim);
            int[] rendered = prompt(engine, client.ok(request(engine, false)));
            assertThat(prompt(engine, client.ok(give(request(engine, false), engine, GIVEN))))
                    .isEqualTo(rendered);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_that_refuses_ids_says_so_and_answers_without_them(SimEngine engine) throws Exception {
        try (var sim = SimServer.start(options(engine).idInput(IdInput.REFUSED).build())) {
            var client = new Client(sim);
            var reply = client.post("/v1/chat/completions", give(request(engine, false), engine, GIVEN));
            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.text()).contains("Extra inputs are not permitted");
            assertThat(client.ok(request(engine, false)).path("choices")).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_may_change_its_mind_while_it_runs(SimEngine engine) throws Exception {
        try (var sim = SimServer.start(options(engine).build())) {
            var client = new Client(sim);
            sim.idInput(IdInput.IGNORED);
            assertThat(prompt(engine, client.ok(give(request(engine, false), engine, GIVEN))))
                    .isNotEqualTo(GIVEN);
            sim.idInput(IdInput.TAKEN);
            assertThat(prompt(engine, client.ok(give(request(engine, false), engine, GIVEN))))
                    .isEqualTo(GIVEN);
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_tokenizer_renders_what_a_chat_would_be_given(SimEngine engine) throws Exception {
        try (var sim = SimServer.start(options(engine).build())) {
            var client = new Client(sim);
            ObjectNode body = request(engine, false);
            Client.messages(body).addObject().put("role", "assistant").put("content", "Yes?");
            Client.messages(body).addObject().put("role", "user").put("content", "Weather in Köln?");
            var path = engine == SimEngine.VLLM ? "/tokenize" : "/v1/tokenize";
            assertThat(ids(client.post(path, body).json().get("tokens"))).isEqualTo(prompt(engine, client.ok(body)));
        }
    }
}
