package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.inference.JsonTree;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Chat Completions through the proxy to both engines. */
class ChatTest {
    private static final String HELLO = "{\"model\":\"any\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]";

    private static Node node(SimEngine engine, String text) throws IOException {
        Policy policy = (request, random) -> new Policy.Decision(Answer.text(text));
        return new Node(SimOptions.builder().engine(engine).policy(policy).build());
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void a_whole_answer_reaches_the_agent_and_is_on_record_with_ids_and_logprobs(SimEngine engine) throws IOException {
        try (var node = node(engine, "Hello there.")) {
            var answer = node.answer("/v1/chat/completions", HELLO + "}");
            assertThat(answer.at("/choices/0/message/content").textValue()).isEqualTo("Hello there.");
            assertThat(answer.at("/choices/0/finish_reason").textValue()).isEqualTo("stop");
            assertThat(answer.path("model").textValue()).isEqualTo("any");
            var entry = node.recorder.entries.getFirst();
            assertThat(entry.promptIds()).isNotEmpty();
            assertThat(entry.sampledIds()).isNotEmpty().hasSameSizeAs(entry.logprobs());
            assertThat(Arrays.stream(entry.logprobs())).allMatch(logprob -> logprob < 0);
            assertThat(entry.tokenTexts()).hasSameSizeAs(entry.sampledIds());
            assertThat(entry.answer().at("/message/content").textValue()).isEqualTo("Hello there.");
            assertThat(entry.answer().at("/usage/completion_tokens").intValue()).isEqualTo(entry.sampledIds().length);
            assertThat(entry.request().path("model").textValue()).isEqualTo("sim");
            assertThat(entry.originalRequest()).isEqualTo(JsonTree.read(HELLO + "}"));
            assertThat(node.recorder.delivered).containsExactly(entry.id());
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void a_stream_is_made_of_the_whole_answer_and_ends_with_done(SimEngine engine) throws IOException {
        try (var node = node(engine, "Hello there.")) {
            var response = node.post(
                    "/v1/chat/completions", HELLO + ",\"stream\":true,\"stream_options\":{\"include_usage\":true}}");
            assertThat(response.headers().firstValue("content-type").orElseThrow())
                    .startsWith("text/event-stream");
            assertThat(response.body()).endsWith("data: [DONE]\n\n");
            var text = new StringBuilder();
            var events = Node.events(response.body());
            for (var event : events) {
                text.append(event.at("/choices/0/delta/content").asText(""));
            }
            assertThat(text.toString()).isEqualTo("Hello there.");
            assertThat(events.getLast().at("/usage/completion_tokens").intValue())
                    .isEqualTo(node.recorder.entries.getFirst().sampledIds().length);
            assertThat(node.upstream().has("stream")).isFalse();
            assertThat(node.recorder.delivered).hasSize(1);
        }
    }
}
