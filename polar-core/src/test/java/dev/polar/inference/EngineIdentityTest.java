package dev.polar.inference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.inference.Mismatch.Matter;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import dev.polar.spi.Sampling;
import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an engine plainly is not. The simulator's dialects are asked where the commands are tested. */
class EngineIdentityTest {
    private static final String LIST = "{\"object\":\"list\",\"data\":["
            + "{\"id\":\"base\",\"owned_by\":\"%1$s\",\"parent\":null},{\"id\":\"adapter\",\"owned_by\":\"%1$s\",\"parent\":\"base\"}]}";

    private static List<Mismatch> mismatches(String engine, String served, String... urls) {
        var config = new NodeConfig.Inference(
                engine,
                List.of(urls),
                NodeConfig.Streaming.BUFFERED,
                null,
                false,
                Sampling.NONE,
                OptionalInt.empty(),
                null);
        var profile = EngineCatalog.builtIn().stream()
                .filter(each -> each.name().equals(engine))
                .findFirst()
                .orElseThrow()
                .profile();
        try (var client = new InferenceClient(config, profile, Duration.ofSeconds(10))) {
            return client.mismatches(served);
        }
    }

    @ParameterizedTest
    @CsvSource({"vllm, sglang", "sglang, vllm"})
    void an_engine_that_calls_itself_otherwise_is_another_one(String engine, String other) throws IOException {
        try (var server = new EngineStandIn(LIST.formatted(other), 404)) {
            assertThat(mismatches(engine, "base", server.url())).singleElement().satisfies(mismatch -> {
                assertThat(mismatch.matter()).isEqualTo(Matter.ENGINE);
                assertThat(mismatch.text()).contains("kind " + other, "set inference.engine: " + other);
            });
        }
    }

    @Test
    void one_among_several_is_told_by_its_address() throws IOException {
        try (var right = new EngineStandIn(LIST.formatted("vllm"), 200);
                var wrong = new EngineStandIn(LIST.formatted("sglang"), 200)) {
            assertThat(mismatches("vllm", "base", right.url(), wrong.url()))
                    .extracting(Mismatch::url)
                    .containsExactly(wrong.url());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"base", "adapter", ""})
    void a_model_or_an_adapter_that_is_listed_is_served_and_nothing_is_generated_for_it(String served)
            throws IOException {
        try (var server = new EngineStandIn(LIST.formatted("vllm"), 404)) {
            assertThat(mismatches("vllm", served, server.url())).isEmpty();
            assertThat(server.asked).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"vllm, 404, 1", "sglang, 404, 1", "sglang, 200, 0", "vllm, 503, 0", "vllm, 400, 0"})
    void a_model_that_is_not_listed_is_missing_where_the_engine_knows_no_such_name(
            String engine, int status, int mismatches) throws IOException {
        try (var server = new EngineStandIn(LIST.formatted(engine), status)) {
            assertThat(mismatches(engine, "other", server.url()))
                    .hasSize(mismatches)
                    .allMatch(mismatch -> mismatch.matter() == Matter.MODEL
                            && mismatch.text().contains("serves no 'other'")
                            && mismatch.text().contains("base, adapter"));
            assertThat(server.asked).singleElement().asString().contains("\"model\":\"other\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"data\":[]}", "{}", "[]", "{\"data\":null}", "<html>", ""})
    void what_lists_no_models_is_taken_at_the_configurations_word(String list) throws IOException {
        try (var server = new EngineStandIn(list, 404)) {
            assertThat(mismatches("vllm", "other", server.url())).isEmpty();
        }
        try (var server = new EngineStandIn(null, 404)) {
            assertThat(mismatches("sglang", "other", server.url())).isEmpty();
        }
        assertThat(mismatches("vllm", "other", "http://127.0.0.1:1")).isEmpty();
    }

    @Test
    void what_stands_before_an_engine_may_call_itself_as_it_likes() throws IOException {
        try (var proxy = new EngineStandIn(LIST.formatted("openai"), 200)) {
            assertThat(mismatches("vllm", "base", proxy.url())).isEmpty();
            assertThat(mismatches("sglang", "base", proxy.url())).isEmpty();
        }
    }

    @Test
    void behind_a_router_its_workers_are_asked() throws IOException {
        var options = SimOptions.builder().engine(SimEngine.SGLANG).build();
        try (var sim = SimServer.start(options);
                var router = new RouterStandIn(false, sim.url());
                var empty = new RouterStandIn(false)) {
            assertThat(mismatches("sglang", "sim", router.url())).isEmpty();
            assertThat(mismatches("sglang", "other", router.url()))
                    .extracting(Mismatch::url)
                    .containsExactly(sim.url());
            assertThat(mismatches("sglang", "other", empty.url())).isEmpty();
            assertThat(router.strayCalls).isEmpty();
        }
    }
}
