package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.polar.proxy.Told.Api;
import dev.polar.sim.Fault;
import dev.polar.sim.Fault.Kind;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import dev.polar.spi.CallSummary;
import dev.polar.topology.NodeConfig;
import dev.polar.topology.NodeConfig.Streaming;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** An engine's answer that comes through without a word that it is over: a part of one, and never an answer for an agent. */
class UnfinishedAnswerTest {
    private static final String HEAD = "{'id':'x','model':'m','prompt_token_ids':[1],'choices':[{'index':0,";
    private static final String SAMPLED = "'logprobs':{'content':[{'token':'x','logprob':-1.0}]},'token_ids':[2]%s}]}";
    private static final String WHOLE = HEAD + "'message':{'role':'assistant','content':'Half'}," + SAMPLED;
    private static final String CHUNK = HEAD + "'delta':{'role':'assistant','content':'Half'}," + SAMPLED;

    private static String ask(Api api) {
        return api.ask(JsonNodeFactory.instance.arrayNode().add(api.user("hi")), false);
    }

    private static HttpResponse<String> whole(Node node, Api api) throws IOException {
        var path = api.path.replace(":streamGenerateContent?alt=sse", ":generateContent");
        return node.post(path, ask(api).replace("\"stream\":true", "\"stream\":false"));
    }

    static Stream<Arguments> ways() {
        return Arrays.stream(Api.values())
                .flatMap(api -> Stream.of(
                        Arguments.of(api, SimEngine.VLLM, Streaming.BUFFERED),
                        Arguments.of(api, SimEngine.SGLANG, Streaming.BUFFERED),
                        Arguments.of(api, SimEngine.VLLM, Streaming.NATIVE)));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void b21_it_is_the_engines_fault_in_the_callers_own_words_and_on_record_as_undelivered(
            Api api, SimEngine engine, Streaming streaming) throws IOException {
        try (var node =
                new Node(SimOptions.builder().engine(engine).build(), Node.Setup.DEFAULT.streaming(streaming))) {
            node.sim.faults().add(Fault.of(Kind.NO_FINISH), 2);
            var streamed = node.post(api.path, ask(api));
            var whole = whole(node, api);
            if (streaming == Streaming.NATIVE) {
                assertThat(api.error(streamed.body())).contains("no finish reason");
            } else {
                assertThat(streamed.statusCode()).isEqualTo(502);
                assertThat(streamed.body()).contains("no finish reason");
            }
            assertThat(whole.statusCode()).isEqualTo(502);
            assertThat(Bodies.parsed(whole.body()).at("/error/message").textValue())
                    .contains("no finish reason");
            unfinished(node, 2);
            assertThat(whole(node, api).statusCode()).isEqualTo(200);
            assertThat(node.recorder.delivered)
                    .containsExactly(node.recorder.entries.getLast().id());
        }
    }

    /** Its tokens are on record, and the agent was told of a fault. */
    private static void unfinished(Node node, int times) {
        assertThat(node.recorder.entries).hasSize(times).allSatisfy(part -> {
            assertThat(part.finishReason()).isNull();
            assertThat(part.sampledIds()).isNotEmpty();
        });
        assertThat(node.recorder.delivered).isEmpty();
        assertThat(node.session.failedCalls())
                .hasSize(times)
                .allSatisfy(failed -> assertThat(failed.call().end()).isEqualTo(CallSummary.End.ENGINE_FAULT));
    }

    private static String json(String text, String end) {
        return text.formatted(end).replace('\'', '"');
    }

    static Stream<Arguments> bodies() {
        var event = "data: " + json(CHUNK, "") + "\n\n";
        var last = "data: " + json(CHUNK, ",'finish_reason':'stop'") + "\n\n";
        return Stream.of(
                        new String[] {"a null", "application/json", json(WHOLE, ",'finish_reason':null")},
                        new String[] {"no key", "application/json", json(WHOLE, "")},
                        new String[] {"no last chunk", "text/event-stream", event + "data: [DONE]\n\n"},
                        new String[] {"nothing after a chunk", "text/event-stream", event},
                        new String[] {"no last event", "text/event-stream", last})
                .flatMap(body -> Arrays.stream(Streaming.values())
                        .map(streaming -> Arguments.of(body[0], body[1], body[2], streaming)));
    }

    @ParameterizedTest(name = "{0}, {3}")
    @MethodSource("bodies")
    void b05_b21_whatever_it_lacks_and_whether_it_was_to_be_a_stream_or_not(
            String what, String contentType, String body, Streaming streaming) throws IOException {
        try (var engine = new ScriptedEngine(contentType, body, 50);
                var node = new Node(SimOptions.defaults(), Node.Setup.DEFAULT.streaming(streaming), engine.url())) {
            var whole = whole(node, Api.CHAT);
            var streamed = node.post(Api.CHAT.path, ask(Api.CHAT));

            assertThat(whole.statusCode()).as(whole.body()).isEqualTo(502);
            boolean relayed = streaming == Streaming.NATIVE && contentType.equals("text/event-stream");
            assertThat(streamed.statusCode()).as(streamed.body()).isEqualTo(relayed ? 200 : 502);
            assertThat(relayed ? Api.CHAT.error(streamed.body()) : streamed.body())
                    .contains(what.equals("no last event") ? "without its last event" : "no finish reason");
            assertThat(node.recorder.entries)
                    .hasSize(2)
                    .allSatisfy(part -> assertThat(part.sampledIds()).containsExactly(2));
            assertThat(node.recorder.delivered).isEmpty();
            assertThat(node.session.failedCalls()).hasSize(2);
        }
    }

    @ParameterizedTest
    @EnumSource(Api.class)
    void an_answer_that_a_helper_model_did_not_end_is_none_either(Api api) throws IOException {
        try (var helper = SimServer.start(SimOptions.builder().model("frozen").build())) {
            var pool = new NodeConfig.PoolModel("any", "frozen", helper.url(), null, 1);
            try (var node = new Node(SimOptions.defaults(), Node.Setup.DEFAULT.pool(pool))) {
                helper.faults().add(Fault.of(Kind.NO_FINISH), 2);
                assertThat(node.post(api.path, ask(api)).statusCode()).isEqualTo(502);
                assertThat(whole(node, api).body()).contains("no finish reason");
                assertThat(whole(node, api).statusCode()).isEqualTo(200);
                assertThat(node.recorder.entries).isEmpty();
            }
        }
    }
}
