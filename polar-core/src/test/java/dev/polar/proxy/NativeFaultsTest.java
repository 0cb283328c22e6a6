package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.polar.capture.Untrainable;
import dev.polar.proxy.Told.Api;
import dev.polar.sim.Answer;
import dev.polar.sim.Fault;
import dev.polar.sim.Fault.Kind;
import dev.polar.sim.Policy;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes wrong while an answer is relayed. */
class NativeFaultsTest {
    private static final StreamTimes AT_ONCE =
            new StreamTimes(Duration.ofMillis(20), Duration.ofMillis(60), Duration.ofMillis(20));
    private static final Node.Setup NATIVE = Node.Setup.DEFAULT.streaming(NodeConfig.Streaming.NATIVE);
    private static final String TEXT = "one two three four five six seven eight nine ten";

    private static SimOptions.Builder saying(String raw) {
        Policy policy = (request, random) -> new Policy.Decision(new Answer.Raw(raw));
        return SimOptions.builder().policy(policy);
    }

    private static String ask(Api api) {
        return api.ask(JsonNodeFactory.instance.arrayNode().add(api.user("hi")), true);
    }

    private static HttpResponse<String> send(Node node, Api api) throws IOException {
        return node.post(api.path, ask(api));
    }

    private static <T> FutureTask<T> started(Callable<T> call) {
        var task = new FutureTask<>(call);
        Thread.ofVirtual().start(task);
        return task;
    }

    @ParameterizedTest
    @CsvSource({
        "MISSING_LOGPROBS," + Untrainable.NO_LOGPROBS,
        "MISSING_IDS," + Untrainable.NO_IDS,
        "NAN_LOGPROB," + Untrainable.BAD_LOGPROB,
        "NULL_LOGPROB," + Untrainable.BAD_LOGPROB,
        "POSITIVE_LOGPROB," + Untrainable.BAD_LOGPROB,
        "WRONG_USAGE," + Untrainable.USAGE_MISMATCH,
        "SHORT_IDS," + Untrainable.LENGTH_MISMATCH
    })
    void b01_b03_a_streamed_answer_that_cannot_train_reaches_the_agent_and_is_recorded_as_it_came(Kind kind, String why)
            throws IOException {
        try (var node = new Node(saying(TEXT).build(), NATIVE)) {
            node.sim.faults().add(Fault.of(kind));
            assertThat(Api.CHAT.read(send(node, Api.CHAT).body()).text()).isEqualTo(TEXT);
            assertThat(Untrainable.of(node.recorder.entries.getFirst())).contains(why);
            assertThat(node.recorder.delivered).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Api.class)
    void b05_the_agent_gets_a_stream_though_the_engine_gives_a_whole_answer(Api api) throws IOException {
        var whole = "{\"id\":\"x\",\"model\":\"m\",\"prompt_token_ids\":[1],\"choices\":[{\"index\":0,\"message\":"
                + "{\"role\":\"assistant\",\"content\":\"Whole.\"},\"logprobs\":{\"content\":[{\"token\":\"x\",\"logprob\":-1.0}]},"
                + "\"finish_reason\":\"stop\",\"token_ids\":[2]}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}";
        try (var engine = new ScriptedEngine("application/json", whole, 7);
                var node = new Node(SimOptions.defaults(), NATIVE, engine.url())) {
            var told = api.read(send(node, api).body());
            assertThat(told.text()).isEqualTo("Whole.");
            assertThat(told.finish()).isNotNull();
            assertThat(node.recorder.entries.getFirst().sampledIds()).containsExactly(2);
        }
    }

    @ParameterizedTest
    @EnumSource(NodeConfig.Streaming.class)
    void b05_the_agent_gets_a_whole_answer_though_the_engine_streams(NodeConfig.Streaming streaming)
            throws IOException {
        var stream =
                "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}],\"prompt_token_ids\":[1]}\n\n"
                        + "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Streamed 🙂.\"},\"logprobs\":{\"content\":[{\"token\":\"x\",\"logprob\":-1.0}]},"
                        + "\"finish_reason\":\"stop\",\"token_ids\":[2]}]}\n\ndata: [DONE]\n\n";
        try (var engine = new ScriptedEngine("text/event-stream; charset=utf-8", stream, 1);
                var node = new Node(SimOptions.defaults(), Node.Setup.DEFAULT.streaming(streaming), engine.url())) {
            var answer = node.answer(
                    Api.CHAT.path, "{\"model\":\"any\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}");
            assertThat(answer.at("/choices/0/message/content").textValue()).isEqualTo("Streamed 🙂.");
            assertThat(node.recorder.entries.getFirst().sampledIds()).containsExactly(2);
        }
    }

    @ParameterizedTest
    @EnumSource(Api.class)
    void b11_b21_an_engine_that_dies_in_the_stream_is_the_callers_own_error_and_nothing_follows(Api api)
            throws IOException {
        for (var kind : new Kind[] {Kind.ERROR_CHUNK, Kind.CUT, Kind.NO_FINISH}) {
            try (var node = new Node(saying(TEXT).build(), NATIVE)) {
                node.sim.faults().add(Fault.of(kind).after(4));
                var response = send(node, api);
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(api.error(response.body()))
                        .as(kind + " " + response.body())
                        .isNotEmpty()
                        // the words by which an agent without a status sees that it may try again
                        .contains(kind == Kind.CUT ? "connection error" : "");
                var part = node.recorder.entries.getFirst();
                assertThat(part.finishReason()).isNull();
                assertThat(part.sampledIds()).isNotEmpty();
                assertThat(part.answer().at("/message/content").textValue()).startsWith("one");
                assertThat(node.recorder.delivered).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Api.class)
    void b11_each_stream_has_an_id_of_its_own_that_an_agent_can_name_in_an_error(Api api) throws IOException {
        try (var node = new Node(saying(TEXT).build(), NATIVE)) {
            node.sim.faults().add(Fault.of(Kind.CUT).after(4));
            var cut = send(node, api).headers().firstValue(StreamedCall.REQUEST_ID);
            var whole = send(node, api).headers().firstValue(StreamedCall.REQUEST_ID);
            assertThat(cut).isPresent();
            assertThat(whole).isPresent().isNotEqualTo(cut);
        }
    }

    @ParameterizedTest
    @EnumSource(Api.class)
    void b10_an_error_before_the_first_delta_keeps_its_status(Api api) throws IOException {
        try (var node = new Node(saying(TEXT).build(), NATIVE)) {
            node.sim.faults().add(Fault.status(429).saying("the reason why").retryAfter(7));
            var response = send(node, api);
            assertThat(response.statusCode()).isEqualTo(429);
            assertThat(response.headers().firstValue("retry-after")).contains("7");
            assertThat(response.body()).contains("the reason why");
            assertThat(node.recorder.failed).hasValue(1);
            assertThat(node.recorder.entries).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Api.class)
    void b21_an_engine_that_falls_silent_in_the_stream_is_given_up_with_words_that_say_so(Api api) throws IOException {
        try (var node = new Node(saying(TEXT).build(), NATIVE.times(AT_ONCE).silence(Duration.ofMillis(500)))) {
            node.sim.faults().add(Fault.of(Kind.SILENCE).after(3));
            var response = send(node, api);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(api.error(response.body())).contains("was silent for");
            assertThat(node.recorder.entries.getFirst().sampledIds()).hasSize(3);
            assertThat(node.recorder.delivered).isEmpty();
        }
    }

    @Test
    void d04_a_relayed_json_array_is_one_however_it_ends() throws IOException {
        var path = Api.GOOGLE.path.replace("?alt=sse", "");
        try (var node = new Node(saying(TEXT).build(), NATIVE)) {
            var whole = Bodies.parsed(node.post(path, ask(Api.GOOGLE)).body());
            node.sim.faults().add(Fault.of(Kind.CUT).after(4));
            var cut = Bodies.parsed(node.post(path, ask(Api.GOOGLE)).body());
            var text = new StringBuilder();
            whole.forEach(element ->
                    text.append(element.at("/candidates/0/content/parts/0/text").asText()));
            assertThat(text).hasToString(TEXT);
            assertThat(whole.size()).isGreaterThan(5);
            assertThat(whole.get(whole.size() - 1)
                            .at("/candidates/0/finishReason")
                            .textValue())
                    .isEqualTo("STOP");
            assertThat(cut.size()).isGreaterThan(1);
            assertThat(cut.get(cut.size() - 1).at("/error/message").textValue()).isNotEmpty();
        }
    }

    @Test
    void b22_an_agent_that_wants_one_call_gets_one_and_the_ids_of_both_are_on_record() throws IOException {
        var one = "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"city\": \"A\"}}\n</tool_call>\n";
        try (var node = new Node(saying(one + one.replace("A", "B")).build(), NATIVE)) {
            var asked = ask(Api.CHAT);
            var both = Api.CHAT.read(node.post(Api.CHAT.path, asked).body());
            var first = Api.CHAT.read(node.post(
                            Api.CHAT.path,
                            asked.replace("\"stream\":true", "\"stream\":true,\"parallel_tool_calls\":false"))
                    .body());
            assertThat(both.calls()).hasSize(2);
            assertThat(first.calls()).hasSize(1);
            assertThat(first.finish()).isEqualTo("tool_calls");
            assertThat(node.recorder.entries.get(0).sampledIds())
                    .isEqualTo(node.recorder.entries.get(1).sampledIds());
        }
    }

    @Test
    void b22_an_engine_that_streams_two_calls_where_one_was_wanted_is_cut_to_the_first() throws IOException {
        var calls = "{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}},"
                + "{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}";
        var stream = "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[" + calls
                + "]},\"finish_reason\":\"tool_calls\",\"token_ids\":[2]}],\"prompt_token_ids\":[1]}\n\ndata: [DONE]\n\n";
        try (var engine = new ScriptedEngine("text/event-stream", stream, 50);
                var node = new Node(SimOptions.defaults(), NATIVE, engine.url())) {
            var asked = ask(Api.CHAT).replace("\"stream\":true", "\"stream\":true,\"parallel_tool_calls\":false");
            assertThat(Api.CHAT.read(node.post(Api.CHAT.path, asked).body()).calls())
                    .containsExactly(new Told.Call("a", "look", "{}"));
            assertThat(node.recorder.entries.getFirst().answer().at("/message/tool_calls"))
                    .hasSize(2);
        }
    }

    @ParameterizedTest
    @EnumSource(Api.class)
    void b23_a_streamed_call_with_broken_json_is_shown_as_it_is_and_marked(Api api) throws IOException {
        var broken = "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"city\": Paris}}\n</tool_call>";
        try (var node = new Node(saying(broken).build(), NATIVE)) {
            var body = send(node, api).body();
            var entry = node.recorder.entries.getFirst();
            assertThat(entry.metadata().path("invalid_tool_call").booleanValue())
                    .isTrue();
            if (api == Api.GOOGLE) {
                assertThat(api.read(body).finish()).isEqualTo("MALFORMED_FUNCTION_CALL");
            } else {
                assertThat(api.read(body).calls().getFirst().arguments()).isEqualTo("{\"city\": Paris}");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Api.class)
    void f06_the_engine_is_told_when_the_agent_hangs_up_and_what_had_come_is_on_record(Api api) throws Exception {
        // the first tokens come quickly, then the engine takes its time: the probe finds that nobody reads
        try (var node = new Node(
                saying(TEXT).perToken(Duration.ofMillis(700)).build(),
                NATIVE.times(new StreamTimes(Duration.ofMillis(20), Duration.ofSeconds(9), Duration.ofMillis(100))))) {
            var uri = URI.create(node.front.url());
            try (var socket = new Socket(uri.getHost(), uri.getPort())) {
                var body = ask(api).getBytes(StandardCharsets.UTF_8);
                socket.getOutputStream()
                        .write(("POST " + api.path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + Node.KEY
                                        + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length
                                        + "\r\n\r\n")
                                .getBytes(StandardCharsets.UTF_8));
                socket.getOutputStream().write(body);
                var seen = new StringBuilder();
                while (seen.indexOf("one") < 0) {
                    seen.append((char) socket.getInputStream().read());
                }
                assertThat(node.sim.running()).isEqualTo(1);
            }
            await().until(() -> node.sim.running() == 0);
            await().until(() -> node.recorder.entries.size() == 1);
            var part = node.recorder.entries.getFirst();
            assertThat(part.finishReason()).isNull();
            assertThat(part.sampledIds()).isNotEmpty();
            assertThat(part.answer().at("/message/content").textValue())
                    .startsWith("one")
                    .isNotEqualTo(TEXT);
            assertThat(node.recorder.delivered).isEmpty();
            assertThat(node.recorder.failed).hasValue(0);
        }
    }

    @Test
    void e20_closing_a_session_ends_its_streams_with_an_error() throws Exception {
        try (var node = new Node(saying(TEXT).perToken(Duration.ofMillis(300)).build(), NATIVE.times(AT_ONCE))) {
            var call = started(() -> send(node, Api.MESSAGES));
            await().until(() -> node.sim.running() == 1);
            Thread.sleep(500);
            node.session.close();
            assertThat(node.recorder.entries).hasSize(1);
            assertThat(Api.MESSAGES.error(call.get().body())).isNotEmpty();
            assertThat(node.recorder.delivered).isEmpty();
        }
    }

    @Test
    void f17_an_answer_cut_off_before_its_first_delta_is_asked_again() throws IOException {
        try (var node = new Node(saying(TEXT).build(), NATIVE)) {
            node.sim.faults().add(Fault.of(Kind.ABORT).after(0));
            var told = Api.CHAT.read(send(node, Api.CHAT).body());
            assertThat(told.text()).isEqualTo(TEXT);
            assertThat(node.recorder.entries).hasSize(2);
            assertThat(node.recorder.entries.get(0).finishReason()).isEqualTo("abort");
            assertThat(node.recorder.delivered)
                    .containsExactly(node.recorder.entries.get(1).id());
        }
    }

    @ParameterizedTest
    @EnumSource(Api.class)
    void f17_an_answer_cut_off_when_some_of_it_was_told_is_an_error_and_the_part_is_undelivered(Api api)
            throws IOException {
        try (var node = new Node(saying(TEXT).perToken(Duration.ofMillis(30)).build(), NATIVE)) {
            node.sim.faults().add(Fault.of(Kind.ABORT).after(5));
            assertThat(api.error(send(node, api).body())).contains("new weights");
            var part = node.recorder.entries.getFirst();
            assertThat(part.finishReason()).isEqualTo("abort");
            assertThat(part.sampledIds()).hasSize(5);
            assertThat(node.recorder.delivered).isEmpty();
        }
    }

    @Test
    void f07_f18_a_pause_waits_for_open_streams_and_keeps_new_ones_alive() throws Exception {
        try (var node = new Node(saying(TEXT).perToken(Duration.ofMillis(20)).build(), NATIVE.times(AT_ONCE))) {
            var running = started(() -> send(node, Api.CHAT));
            await().until(() -> node.control.status().inflight() == 1);
            assertThat(node.control.pause(Duration.ofSeconds(30)).drained()).isTrue();
            assertThat(Api.CHAT.read(running.get().body()).text()).isEqualTo(TEXT);
            var waiting = started(() -> send(node, Api.CHAT));
            Thread.sleep(300);
            node.control.policyVersion("8");
            node.control.resume();
            var stream = waiting.get().body();
            assertThat(stream.split("\"delta\":\\{}}]}\n", -1)).hasSizeGreaterThan(3);
            assertThat(Api.CHAT.read(stream).text()).isEqualTo(TEXT);
            assertThat(node.recorder
                            .entries
                            .get(1)
                            .metadata()
                            .path("policy_version")
                            .textValue())
                    .isEqualTo("8");
        }
    }

    @Test
    void a_waiting_stream_is_kept_alive_between_two_deltas() throws IOException {
        try (var node =
                new Node(saying("one two").perToken(Duration.ofMillis(200)).build(), NATIVE.times(AT_ONCE))) {
            var stream = send(node, Api.MESSAGES).body();
            var told = Api.MESSAGES.read(stream);
            assertThat(told.text()).isEqualTo("one two");
            assertThat(told.finish()).isEqualTo("end_turn");
            assertThat(stream.split("\"stop_reason\":null,\"stop_sequence\":null},", -1))
                    .hasSizeGreaterThan(2);
        }
    }

    @Test
    void an_engine_whose_streams_cannot_be_proved_whole_is_refused_at_the_start() {
        for (var engine : SimEngine.values()) {
            var name = engine.name().toLowerCase(java.util.Locale.ROOT);
            var config = Node.config(name, "http://127.0.0.1:1", "sim", NATIVE);
            var service = new ProxyService(new SessionDirectory());
            if (engine == SimEngine.VLLM) {
                service.start(config, Node.profile(name), null);
                service.stop();
            } else {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> service.start(config, Node.profile(name), null))
                        .withMessageContainingAll("inference.streaming: native", "'sglang'", "set it to buffered");
            }
        }
    }
}
