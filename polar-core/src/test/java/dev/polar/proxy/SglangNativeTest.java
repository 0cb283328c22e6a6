package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.polar.capture.Untrainable;
import dev.polar.inference.InferenceClient;
import dev.polar.proxy.Told.Api;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import dev.polar.spi.Sampling;
import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SGLang's streams: whole where a parser for reasoning has every step sent, and refused where none does. */
class SglangNativeTest {
    private static final Node.Setup NATIVE = Node.Setup.DEFAULT.streaming(NodeConfig.Streaming.NATIVE);

    /** A character of several tokens: its first ones have no text of their own. */
    private static final Policy ANSWER = (request, random) -> new Policy.Decision(Answer.text("Plain text 日."));

    private static SimOptions sglang(boolean reasoningParser, boolean toolParser) {
        return SimOptions.builder()
                .engine(SimEngine.SGLANG)
                .policy(ANSWER)
                .reasoning(reasoningParser)
                .toolParser(toolParser)
                .build();
    }

    private static String ask(Node node) throws IOException {
        var api = Api.MESSAGES;
        var history = JsonNodeFactory.instance.arrayNode().add(api.user("hi"));
        var response = node.post(api.path, api.ask(history, true));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    private static void start(String url) {
        var service = new ProxyService(new SessionDirectory());
        service.start(Node.config("sglang", url, "sim", NATIVE), Node.profile("sglang"), null);
        service.stop();
    }

    @Test
    void what_a_stream_refuses_is_not_asked_for_and_the_agent_is_told_the_usage() throws IOException {
        try (var node = new Node(sglang(true, true), NATIVE)) {
            var events = Node.events(ask(node));
            var asked = node.upstream();
            assertThat(asked.path("return_input_ids_in_sglext").booleanValue()).isTrue();
            assertThat(asked.path("return_output_ids_in_sglext").booleanValue()).isTrue();
            assertThat(asked.has("return_token_ids") || asked.has("return_prompt_token_ids"))
                    .isFalse();
            var entry = node.recorder.entries.getFirst();
            var usage = events.get(events.size() - 2).path("usage");
            assertThat(usage.path("input_tokens").intValue()
                            + usage.path("cache_read_input_tokens").intValue())
                    .isEqualTo(entry.promptIds().length);
            assertThat(usage.path("output_tokens").intValue()).isEqualTo(entry.sampledIds().length);
        }
    }

    @ParameterizedTest
    @CsvSource({"true,true,", "true,false,", "false,false,length_mismatch"})
    void the_parser_for_reasoning_alone_keeps_each_log_probability(
            boolean reasoningParser, boolean toolParser, String untrainable) throws IOException {
        try (var node = new Node(sglang(reasoningParser, toolParser), NATIVE)) {
            assertThat(Api.MESSAGES.read(ask(node)).text()).isEqualTo("Plain text 日.");
            assertThat(Untrainable.of(node.recorder.entries.getFirst()).orElse(null))
                    .isEqualTo(untrainable);
        }
    }

    @Test
    void a_node_starts_where_the_engine_has_the_parser_and_not_where_it_has_none() throws IOException {
        try (var parsing = SimServer.start(sglang(true, false))) {
            start(parsing.url());
        }
        for (boolean toolParser : new boolean[] {false, true}) {
            try (var plain = SimServer.start(sglang(false, toolParser))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> start(plain.url()))
                        .withMessageContainingAll(
                                "inference.streaming: native",
                                "'sglang'",
                                plain.url(),
                                "launched without --reasoning-parser",
                                "set it to buffered");
            }
        }
    }

    @Test
    void an_engine_that_does_not_tell_how_it_was_launched_is_refused() throws IOException {
        // the other engine's answer at this path has no such setting, and nobody listens at the second address
        try (var other = SimServer.start(SimOptions.builder().build())) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> start(other.url()))
                    .withMessageContainingAll(other.url(), "--reasoning-parser", "set it to buffered");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> start("http://127.0.0.1:1"))
                .withMessageContainingAll("http://127.0.0.1:1/server_info does not tell", "set it to buffered");
    }

    @Test
    void one_copy_without_the_parser_is_enough_to_refuse() throws IOException {
        try (var parsing = SimServer.start(sglang(true, true));
                var plain = SimServer.start(sglang(false, true))) {
            assertThat(unproved(parsing.url(), parsing.url())).isNull();
            assertThat(unproved(parsing.url(), plain.url())).contains(plain.url(), "launched without");
        }
    }

    private static String unproved(String... urls) {
        var config = new NodeConfig.Inference(
                "sglang",
                List.of(urls),
                NodeConfig.Streaming.NATIVE,
                null,
                false,
                Sampling.NONE,
                OptionalInt.empty(),
                null);
        try (var client = new InferenceClient(config, Node.profile("sglang"), InferenceClient.SILENCE)) {
            return client.streamsUnproved();
        }
    }
}
