package dev.polar.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.MeddlingGateway.Ids;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import dev.polar.sim.SimTokenizer;
import dev.polar.spi.EngineProfile;
import dev.polar.spi.InferenceEngine;
import dev.polar.spi.Sampling;
import dev.polar.topology.NodeConfig;
import dev.polar.wire.Json;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ids in place of messages, with both engines as the simulator plays them, and with something between that does not let them through. */
class IdInputsTest {
    private static final SimTokenizer TOKENIZER = SimTokenizer.shared();

    private static SimServer sim(SimEngine engine) throws IOException {
        return SimServer.start(SimOptions.builder().engine(engine).build());
    }

    private static InferenceEngine known(SimEngine engine) {
        return engine == SimEngine.VLLM ? new VllmEngine() : new SglangEngine();
    }

    private static InferenceClient client(SimEngine engine, String... urls) {
        return client(engine, known(engine).profile(), urls);
    }

    private static InferenceClient client(SimEngine engine, EngineProfile profile, String... urls) {
        var config = new NodeConfig.Inference(
                known(engine).name(),
                List.of(urls),
                NodeConfig.Streaming.BUFFERED,
                null,
                false,
                Sampling.NONE,
                OptionalInt.empty(),
                null);
        return new InferenceClient(config, profile, Duration.ofSeconds(30));
    }

    private static ObjectNode request(SimEngine engine, boolean streamed) throws IOException {
        var request = (ObjectNode) JsonTree.read(
                "{\"model\":\"sim\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"max_tokens\":5}");
        var profile = known(engine).profile();
        request.setAll((ObjectNode) Json.MAPPER.valueToTree(profile.add()));
        if (streamed) {
            request.put("stream", true).remove(profile.dropStreaming());
            request.setAll((ObjectNode) Json.MAPPER.valueToTree(profile.addStreaming()));
        }
        return request;
    }

    /** The ids of a text that is no rendering of any request. */
    private static int[] prompt() {
        return TOKENIZER.encode("<|im_start|>user\nSay something.<|im_end|>\n<|im_start|>assistant\n");
    }

    /** Has the engine say all ids of {@link #prompt}. */
    private static void acquaint(InferenceClient client, SimEngine engine) throws IOException {
        var request = request(engine, false);
        ((ObjectNode) request.at("/messages/0")).put("content", "Say something.");
        client.render("s", request, new Cancellation());
    }

    private static IdVerdict verdict(InferenceClient client) {
        return client.idBackends().getFirst().verdict();
    }

    private static String why(InferenceClient client) {
        return verdict(client) instanceof IdVerdict.Not(var why) ? why : "not: " + verdict(client);
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_that_takes_ids_is_proved_by_an_answer(SimEngine engine) throws IOException {
        try (var sim = sim(engine);
                var client = client(engine, sim.url())) {
            assertThat(client.mayTakeIds()).isTrue();
            var pointer = known(engine)
                    .profile()
                    .continuation()
                    .orElseThrow()
                    .requestPointers()
                    .getFirst();
            assertThat(verdict(client)).isEqualTo(new IdVerdict.Takes(pointer));
            assertThat(client.replicas()).hasSize(1);
            assertThat(client.idBackends()).hasSize(1);
            assertThat(chats(sim)).as("asked once").isEqualTo(1);
        }
    }

    private static long chats(SimServer sim) {
        return sim.requests().stream()
                .filter(request -> request.path().equals("/v1/chat/completions"))
                .count();
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_that_ignores_ids_says_what_it_used_instead(SimEngine engine) throws IOException {
        try (var sim = sim(engine);
                var between = new MeddlingGateway(sim.url(), Ids.STRIPPED);
                var client = client(engine, between.url())) {
            assertThat(why(client)).contains("its prompt was").contains("other ids");
            assertThat(client.mayTakeIds()).isFalse();
            assertThat(client.render("s", request(engine, false), new Cancellation()))
                    .isEqualTo(new Rendering.NotAsked());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_that_refuses_ids_says_with_what_words(SimEngine engine) throws IOException {
        try (var sim = sim(engine);
                var between = new MeddlingGateway(sim.url(), Ids.REFUSED);
                var client = client(engine, between.url())) {
            assertThat(why(client)).contains("400").contains("ids are not taken here");
        }
    }

    @Test
    void a_backend_that_is_away_is_asked_again() throws IOException, InterruptedException {
        int port;
        try (var gone = sim(SimEngine.VLLM)) {
            port = URI.create(gone.url()).getPort();
        }
        try (var client = client(SimEngine.VLLM, "http://127.0.0.1:" + port)) {
            assertThat(verdict(client)).isInstanceOf(IdVerdict.Unknown.class);
            assertThat(client.mayTakeIds()).isTrue();
            try (var _ = SimServer.start(SimOptions.builder().port(port).build())) {
                await().atMost(Duration.ofSeconds(30)).until(() -> verdict(client) instanceof IdVerdict.Takes);
            }
        }
    }

    @Test
    void a_backend_that_was_away_is_proved_anew() throws IOException {
        int port;
        try (var first = sim(SimEngine.VLLM);
                var client = client(SimEngine.VLLM, first.url())) {
            port = URI.create(first.url()).getPort();
            assertThat(verdict(client)).isInstanceOf(IdVerdict.Takes.class);
            first.close();
            assertThat(catchThrowable(
                            () -> client.generate("s", request(SimEngine.VLLM, false), false, new Cancellation())))
                    .isInstanceOf(EngineException.class);
            try (var second = SimServer.start(SimOptions.builder().port(port).build())) {
                assertThat(client.render("s", request(SimEngine.VLLM, false), new Cancellation()))
                        .isInstanceOf(Rendering.Ids.class);
                assertThat(chats(second)).as("the proof").isEqualTo(1);
            }
        }
    }

    @Test
    void each_copy_is_a_backend_of_its_own() throws IOException {
        try (var sim = sim(SimEngine.VLLM);
                var between = new MeddlingGateway(sim.url(), Ids.STRIPPED);
                var client = client(SimEngine.VLLM, sim.url(), between.url())) {
            assertThat(client.idBackends())
                    .extracting(backend -> backend.verdict().getClass().getSimpleName())
                    .containsExactly("Takes", "Not");
            assertThat(client.mayTakeIds()).isTrue();
        }
    }

    @Test
    void nothing_is_asked_while_generation_is_paused() throws IOException, InterruptedException {
        try (var sim = sim(SimEngine.VLLM);
                var client = client(SimEngine.VLLM, sim.url())) {
            client.gate().pause(Duration.ofSeconds(1));
            assertThat(verdict(client)).isEqualTo(new IdVerdict.Unknown("generation is paused"));
            assertThat(chats(sim)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_rendering_is_what_the_engine_would_answer_from(SimEngine engine) throws IOException {
        try (var sim = sim(engine);
                var client = client(engine, sim.url())) {
            var request = request(engine, false);
            request.set(
                    "tools",
                    JsonTree.read(
                            "[{\"type\":\"function\",\"function\":{\"name\":\"look\",\"parameters\":{\"type\":\"object\"}}}]"));
            var ids = ((Rendering.Ids) client.render("s", request, new Cancellation())).ids();
            var answer = client.generate("s", request, false, new Cancellation())
                    .generation()
                    .answer();
            assertThat(ids).isEqualTo(answer.promptIds());
            var sent = sim.requests().stream()
                    .filter(received -> received.path().endsWith("/tokenize"))
                    .toList()
                    .getLast()
                    .body();
            assertThat(sent.has("add_generation_prompt")).isEqualTo(engine == SimEngine.VLLM);
            assertThat(sent.has("logprobs")).isFalse();
        }
    }

    @Test
    void what_reaches_the_template_by_itself_reaches_the_rendering_as_its_argument() throws IOException {
        var request = request(SimEngine.VLLM, false);
        request.put("reasoning_effort", "high")
                .putObject("chat_template_kwargs")
                .put("enable_thinking", false);
        var requests = new IdRequests(new VllmEngine().profile().continuation().orElseThrow());
        var body = JsonTree.readLenient(requests.rendering(request));
        assertThat(body.at("/chat_template_kwargs/reasoning_effort").textValue())
                .isEqualTo("high");
        assertThat(body.at("/chat_template_kwargs/enable_thinking").booleanValue())
                .isFalse();
        assertThat(request.path("chat_template_kwargs"))
                .as("the request itself")
                .hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void an_answer_comes_from_the_ids_that_were_given_whole_and_streamed(SimEngine engine) throws IOException {
        try (var sim = sim(engine);
                var client = client(engine, sim.url())) {
            verdict(client);
            acquaint(client, engine);
            var whole = client.generate("s", request(engine, false), prompt(), false, new Cancellation())
                    .generation();
            assertThat(whole.ids()).isEqualTo(IdsUse.TAKEN);
            assertThat(whole.answer().promptIds()).isEqualTo(prompt());
            var told = new CopyOnWriteArrayList<Delta>();
            var streamed = client.stream("s", request(engine, true), prompt(), false, new Cancellation(), told::add);
            assertThat(streamed.failure()).isNull();
            assertThat(streamed.generation().ids()).isEqualTo(IdsUse.TAKEN);
            assertThat(streamed.generation().answer().promptIds()).isEqualTo(prompt());
            assertThat(told).isNotEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void ids_that_are_dropped_later_turn_the_backend_off(SimEngine engine) throws IOException {
        try (var sim = sim(engine);
                var between = new MeddlingGateway(sim.url(), Ids.PASSED);
                var client = client(engine, between.url())) {
            verdict(client);
            acquaint(client, engine);
            between.does(Ids.STRIPPED);
            var dropped = client.generate("s", request(engine, false), prompt(), false, new Cancellation())
                    .generation();
            assertThat(dropped.ids()).isEqualTo(IdsUse.NOT_TAKEN);
            assertThat(dropped.answer().promptIds()).as("what it really used").isNotEqualTo(prompt());
            int sent = between.withIds();
            var next = client.generate("s", request(engine, false), prompt(), false, new Cancellation())
                    .generation();
            assertThat(next.ids()).isEqualTo(IdsUse.NOT_SENT);
            assertThat(between.withIds()).isEqualTo(sent);
            assertThat(client.mayTakeIds()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void ids_that_are_refused_later_are_asked_again_as_messages(SimEngine engine) throws IOException {
        for (boolean streamed : new boolean[] {false, true}) {
            try (var sim = sim(engine);
                    var between = new MeddlingGateway(sim.url(), Ids.PASSED);
                    var client = client(engine, between.url())) {
                verdict(client);
                acquaint(client, engine);
                between.does(Ids.REFUSED);
                var request = request(engine, streamed);
                var answered = streamed
                        ? client.stream("s", request, prompt(), false, new Cancellation(), _ -> {})
                                .generation()
                        : client.generate("s", request, prompt(), false, new Cancellation())
                                .generation();
                assertThat(answered.ids()).isEqualTo(IdsUse.REFUSED);
                assertThat(answered.answer().finishReason()).isNotNull();
                assertThat(client.mayTakeIds()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_prompt_of_ids_that_is_too_tooLongleaves_the_backend_on(SimEngine engine) throws IOException {
        try (var sim = SimServer.start(
                        SimOptions.builder().engine(engine).contextLength(100).build());
                var client = client(engine, sim.url())) {
            verdict(client);
            acquaint(client, engine);
            int[] tooLong = IntStream.range(0, 120).map(i -> prompt()[0]).toArray();
            var answered = client.generate("s", request(engine, false), tooLong, false, new Cancellation())
                    .generation();
            assertThat(answered.ids()).isEqualTo(IdsUse.REFUSED);
            assertThat(client.mayTakeIds()).isTrue();
            assertThat(client.generate("s", request(engine, false), prompt(), false, new Cancellation())
                            .generation()
                            .ids())
                    .isEqualTo(IdsUse.TAKEN);
        }
    }

    @Test
    void an_engine_that_does_not_check_gets_no_id_beyond_those_it_gave() throws IOException {
        try (var sim = sim(SimEngine.SGLANG);
                var client = client(SimEngine.SGLANG, sim.url())) {
            verdict(client);
            client.render("s", request(SimEngine.SGLANG, false), new Cancellation());
            for (int wrong : new int[] {-1, TOKENIZER.size()}) {
                var ids = Arrays.copyOf(prompt(), prompt().length + 1);
                ids[ids.length - 1] = wrong;
                var answered = client.generate("s", request(SimEngine.SGLANG, false), ids, false, new Cancellation())
                        .generation();
                assertThat(answered.ids()).isEqualTo(IdsUse.OUT_OF_RANGE);
                assertThat(answered.answer().promptIds()).isNotEqualTo(ids);
            }
        }
    }

    @Test
    void an_engine_that_may_have_renamed_its_field_is_proved_by_the_name_that_works() throws IOException {
        var vllm = new VllmEngine().profile();
        var ids = vllm.continuation().orElseThrow();
        var renamed = new EngineProfile.IdInput(
                List.of("/prompt_token_ids", "/kv_transfer_params/prompt_token_ids"),
                ids.renderPath(),
                ids.renderKeys(),
                ids.renderArguments(),
                ids.renderAdd(),
                ids.renderedIds(),
                ids.checksRange());
        var profile = new EngineProfile(
                vllm.add(),
                vllm.addStreaming(),
                vllm.dropStreaming(),
                vllm.drop(),
                vllm.reasoningKey(),
                vllm.logprobs(),
                vllm.whole(),
                vllm.chunk(),
                vllm.chunkNeeds(),
                vllm.tokenizer(),
                vllm.healthPath(),
                vllm.endOfTurnTokenId(),
                vllm.retryWithoutLimit(),
                vllm.overflowMarks(),
                Optional.of(renamed));
        try (var sim = sim(SimEngine.VLLM);
                var client = client(SimEngine.VLLM, profile, sim.url())) {
            assertThat(verdict(client)).isEqualTo(new IdVerdict.Takes("/kv_transfer_params/prompt_token_ids"));
        }
    }
}
