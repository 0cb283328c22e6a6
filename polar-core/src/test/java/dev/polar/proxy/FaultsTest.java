package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.capture.Untrainable;
import dev.polar.sim.Fault.Kind;
import dev.polar.sim.Fault.Shape;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What goes wrong behind the proxy and before it. */
class FaultsTest {
    private static final String CHAT = "/v1/chat/completions";
    private static final String MESSAGES = "/v1/messages";
    private static final StreamTimes AT_ONCE =
            new StreamTimes(Duration.ofMillis(20), Duration.ofMillis(60), Duration.ofMillis(20));

    private static String ask(String more) {
        return "{\"model\":\"any\",\"max_tokens\":50,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]" + more
                + "}";
    }

    private static SimOptions.Builder slow() {
        return SimOptions.builder().perToken(Duration.ofSeconds(30));
    }

    private static <T> FutureTask<T> started(Callable<T> call) {
        var task = new FutureTask<>(call);
        Thread.ofVirtual().start(task);
        return task;
    }

    static Stream<Arguments> errors() {
        return Stream.of(400, 404, 413, 422, 429, 500, 503)
                .flatMap(status -> Arrays.stream(Shape.values()).map(shape -> Arguments.of(status, shape)));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void b10_b25_an_engines_error_keeps_its_status_and_message_in_the_callers_shape(int status, Shape shape)
            throws IOException {
        for (var engine : SimEngine.values()) {
            try (var node = new Node(SimOptions.builder().engine(engine).build())) {
                node.sim
                        .faults()
                        .add(
                                dev.polar.sim.Fault.status(status)
                                        .shaped(shape)
                                        .saying("the reason why")
                                        .retryAfter(7),
                                2);
                var chat = node.post(CHAT, ask(""));
                var messages = node.post(MESSAGES, ask(",\"stream\":true"));
                assertThat(chat.statusCode()).isEqualTo(status);
                assertThat(messages.statusCode()).isEqualTo(status);
                assertThat(chat.headers().firstValue("retry-after")).contains("7");
                var inChat = Bodies.parsed(chat.body()).path("error");
                var inMessages = Bodies.parsed(messages.body());
                assertThat(inChat.path("type").textValue()).isNotEmpty();
                assertThat(inMessages.path("type").textValue()).isEqualTo("error");
                if (shape != Shape.EMPTY) {
                    assertThat(inChat.path("message").textValue()).contains("the reason why");
                    assertThat(inMessages.at("/error/message").textValue()).contains("the reason why");
                }
                assertThat(node.recorder.entries).isEmpty();
                assertThat(node.recorder.failed).hasValue(2);
            }
        }
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
    void b01_b03_e10_an_answer_that_cannot_train_reaches_the_agent_and_is_recorded_as_it_came(Kind kind, String why)
            throws IOException {
        for (var engine : SimEngine.values()) {
            try (var node = new Node(SimOptions.builder().engine(engine).build())) {
                node.sim.faults().add(dev.polar.sim.Fault.of(kind));
                var answer = node.answer(CHAT, ask(""));
                assertThat(answer.at("/choices/0/message/content").textValue()).isNotEmpty();
                assertThat(Untrainable.of(node.recorder.entries.getFirst())).contains(why);
            }
        }
    }

    @Test
    void b11_an_error_after_the_stream_is_open_is_the_callers_own_and_nothing_follows() throws Exception {
        try (var node = new Node(slow().build(), Node.Setup.DEFAULT.times(AT_ONCE))) {
            var chat = started(() -> node.post(CHAT, ask(",\"stream\":true")));
            var messages = started(() -> node.post(MESSAGES, ask(",\"stream\":true")));
            await().until(() -> node.sim.running() == 2);
            Thread.sleep(200);
            node.session.close();
            var inChat = chat.get();
            assertThat(inChat.statusCode()).isEqualTo(200);
            assertThat(inChat.body()).doesNotContain("[DONE]");
            assertThat(Node.events(inChat.body()).getLast().at("/error/message").textValue())
                    .isNotEmpty();
            var events = Node.events(messages.get().body());
            assertThat(events.getFirst().path("type").textValue()).isEqualTo("message_start");
            assertThat(events.getLast().path("type").textValue()).isEqualTo("error");
            assertThat(events.stream().map(event -> event.path("type").textValue()))
                    .doesNotContain("message_stop");
            assertThat(node.recorder.failed).hasValue(2);
        }
    }

    @Test
    void a_waiting_stream_is_kept_alive_in_the_dialects_own_form() throws Exception {
        try (var node = new Node(
                SimOptions.builder().perPromptToken(Duration.ofMillis(20)).build(),
                Node.Setup.DEFAULT.times(AT_ONCE))) {
            var chat = node.post(CHAT, ask(",\"stream\":true")).body();
            assertThat(chat)
                    .startsWith("data: {\"choices\":[{\"index\":0,\"delta\":{}}]}\n\n")
                    .endsWith("data: [DONE]\n\n");
            var events = node.events(MESSAGES, ask(",\"stream\":true"));
            assertThat(events.stream()
                            .filter(event -> event.path("type").textValue().equals("message_start")))
                    .hasSize(1);
            assertThat(events.get(1).path("type").textValue()).isEqualTo("message_delta");
            assertThat(events.get(1).at("/delta/stop_reason").isNull()).isTrue();
            assertThat(events.getLast().path("type").textValue()).isEqualTo("message_stop");
            assertThat(node.recorder.delivered).hasSize(2);
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void b24_a_limit_over_the_window_looks_the_same_from_both_engines(SimEngine engine) throws IOException {
        try (var node =
                new Node(SimOptions.builder().engine(engine).contextLength(400).build())) {
            var answer = node.answer(CHAT, ask("").replace("50", "395"));
            assertThat(answer.at("/choices/0/finish_reason").textValue()).isIn("stop", "length");
            assertThat(node.recorder.entries).hasSize(1);
            assertThat(node.recorder.failed).hasValue(0);
        }
    }

    @Test
    void b06_a_limit_larger_than_what_the_longest_prompt_leaves_is_not_sent() throws IOException {
        try (var node = new Node(SimOptions.builder().contextLength(400).build())) {
            node.answer(CHAT, ask("").replace("50", "32000"));
            assertThat(node.upstream().has("max_tokens")).isFalse();
            node.answer(CHAT, ask("").replace("50", "399"));
            assertThat(node.upstream().has("max_tokens")).isFalse();
            node.answer(CHAT, ask("").replace("50", "100"));
            assertThat(node.upstream().path("max_tokens").intValue()).isEqualTo(100);
            assertThat(node.session.dropped()).containsEntry("limit_over_window", 2L);
        }
    }

    @Test
    void b21_an_engine_that_falls_silent_is_given_up_with_words_that_say_so() throws IOException {
        try (var node = new Node(SimOptions.defaults(), Node.Setup.DEFAULT.silence(Duration.ofMillis(300)))) {
            node.sim.faults().add(dev.polar.sim.Fault.of(Kind.SILENCE));
            var response = node.post(CHAT, ask(""));
            assertThat(response.statusCode()).isEqualTo(504);
            assertThat(response.body()).contains("was silent for");
        }
    }

    @Test
    void b21_a_connection_that_breaks_in_the_answer_is_an_error_and_no_answer() throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            node.sim.faults().add(dev.polar.sim.Fault.of(Kind.CUT));
            assertThat(node.post(CHAT, ask("")).statusCode()).isEqualTo(502);
            node.sim.faults().add(dev.polar.sim.Fault.of(Kind.ERROR_CHUNK));
            assertThat(node.post(CHAT, ask("")).statusCode()).isEqualTo(500);
            assertThat(node.recorder.failed).hasValue(2);
        }
    }

    @Test
    void f05_a_connection_that_the_engine_closed_while_it_was_idle_is_not_the_agents_matter() throws Exception {
        try (var engine = new ForgetfulEngine();
                var node = new Node(SimOptions.defaults())) {
            var config = Node.config("vllm", engine.url(), "sim", Node.Setup.DEFAULT);
            try (var client = new dev.polar.inference.InferenceClient(
                    config.inference(), Node.profile("vllm"), Duration.ofSeconds(5))) {
                for (int call = 0; call < 3; call++) {
                    var generation = client.generate(
                                    "s",
                                    Bodies.object("{'messages':[]}"),
                                    false,
                                    new dev.polar.inference.Cancellation())
                            .generation();
                    assertThat(generation.answer().sampledIds()).containsExactly(2);
                }
                assertThat(engine.answered()).isEqualTo(3);
            }
        }
    }

    @Test
    void f06_the_engine_is_told_when_the_agent_hangs_up_on_an_open_stream() throws Exception {
        try (var node = new Node(slow().build(), Node.Setup.DEFAULT.times(AT_ONCE))) {
            var uri = URI.create(node.front.url());
            try (var socket = new Socket(uri.getHost(), uri.getPort())) {
                var body = ask(",\"stream\":true");
                socket.getOutputStream()
                        .write(("POST " + CHAT + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + Node.KEY
                                        + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length()
                                        + "\r\n\r\n" + body)
                                .getBytes(StandardCharsets.UTF_8));
                await().until(() -> node.sim.running() == 1);
                assertThat(socket.getInputStream().read()).isPositive();
            }
            await().until(() -> node.sim.running() == 0);
            await().untilAsserted(() -> assertThat(node.recorder.failed).hasValue(1));
            assertThat(node.recorder.entries).isEmpty();
        }
    }

    @Test
    void e20_closing_a_session_ends_its_calls_and_nothing_is_recorded_after() throws Exception {
        try (var node = new Node(slow().build())) {
            var call = started(() -> node.post(CHAT, ask("")));
            await().until(() -> node.sim.running() == 1);
            node.session.close();
            assertThat(node.recorder.failed).hasValue(1);
            assertThat(node.control.status().inflight()).isZero();
            assertThat(call.get().statusCode()).isEqualTo(503);
            assertThat(node.post(CHAT, ask("")).statusCode()).isEqualTo(401);
            await().until(() -> node.sim.running() == 0);
        }
    }

    @Test
    void f07_a_pause_lets_running_generations_end_and_makes_new_ones_wait() throws Exception {
        try (var node = new Node(
                SimOptions.builder().perPromptToken(Duration.ofMillis(10)).build())) {
            var running = started(() -> node.post(CHAT, ask("")));
            await().until(() -> node.control.status().inflight() == 1);
            var paused = node.control.pause(Duration.ofSeconds(30));
            assertThat(paused.drained()).isTrue();
            assertThat(running.get().statusCode()).isEqualTo(200);
            node.control.policyVersion("7");
            var waiting = started(() -> node.post(CHAT, ask("")));
            Thread.sleep(100);
            assertThat(waiting.isDone()).isFalse();
            assertThat(node.control.status().inflight()).isZero();
            node.control.resume();
            assertThat(waiting.get().statusCode()).isEqualTo(200);
            assertThat(node.recorder.entries.get(0).metadata().has("policy_version"))
                    .isFalse();
            assertThat(node.recorder
                            .entries
                            .get(1)
                            .metadata()
                            .path("policy_version")
                            .textValue())
                    .isEqualTo("7");
        }
    }

    @Test
    void f07_a_pause_that_does_not_drain_in_time_says_so_and_stays() throws Exception {
        try (var node = new Node(slow().build())) {
            var call = started(() -> node.post(CHAT, ask("")));
            await().until(() -> node.control.status().inflight() == 1);
            var status = node.control.pause(Duration.ofMillis(50));
            assertThat(status.drained()).isFalse();
            assertThat(status.paused()).isTrue();
            assertThat(status.inflight()).isEqualTo(1);
            node.session.close();
            call.get();
        }
    }

    @Test
    void f18_a_stream_is_kept_alive_through_a_pause() throws Exception {
        try (var node = new Node(SimOptions.defaults(), Node.Setup.DEFAULT.times(AT_ONCE))) {
            node.control.pause(Duration.ofSeconds(1));
            var call = started(() -> node.post(CHAT, ask(",\"stream\":true")));
            Thread.sleep(300);
            node.control.resume();
            var stream = call.get().body();
            assertThat(stream.split("\"delta\":\\{}}]}\n", -1)).hasSizeGreaterThan(3);
            assertThat(stream).endsWith("data: [DONE]\n\n");
        }
    }

    @Test
    void f18_a_session_can_end_while_its_call_waits_for_the_resume() throws Exception {
        try (var node = new Node(SimOptions.defaults())) {
            node.control.pause(Duration.ofSeconds(1));
            var call = started(() -> node.post(CHAT, ask("")));
            Thread.sleep(100);
            node.session.close();
            assertThat(call.get().statusCode()).isEqualTo(503);
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void f17_an_answer_cut_off_for_new_weights_is_asked_again_and_the_part_is_on_record_as_undelivered(SimEngine engine)
            throws IOException {
        try (var node = new Node(SimOptions.builder().engine(engine).build())) {
            node.sim.faults().add(dev.polar.sim.Fault.of(Kind.ABORT).after(2));
            JsonNode answer = node.answer(CHAT, ask(""));
            assertThat(answer.at("/choices/0/finish_reason").textValue()).isEqualTo("stop");
            assertThat(node.recorder.entries).hasSize(2);
            var part = node.recorder.entries.get(0);
            var whole = node.recorder.entries.get(1);
            assertThat(part.finishReason()).isEqualTo("abort");
            assertThat(whole.facts().sequence()).isGreaterThan(part.facts().sequence());
            assertThat(node.recorder.delivered).containsExactly(whole.id());
        }
    }

    @Test
    void b15_bodies_come_in_gzip_and_zstd_and_unknown_codings_are_415() throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            var body = ask("").getBytes(StandardCharsets.UTF_8);
            assertThat(coded(node, "zstd", com.github.luben.zstd.Zstd.compress(body))
                            .statusCode())
                    .isEqualTo(200);
            assertThat(coded(node, "gzip", gzip(body)).statusCode()).isEqualTo(200);
            assertThat(coded(node, "br", body).statusCode()).isEqualTo(415);
            assertThat(coded(node, "gzip", body).statusCode()).isEqualTo(400);
            assertThat(coded(node, "zstd", body).statusCode()).isEqualTo(400);
            assertThat(coded(node, "gzip", Arrays.copyOf(gzip(body), 30)).statusCode())
                    .isEqualTo(400);
            assertThat(coded(node, "gzip", gzip(new byte[3 << 20])).statusCode())
                    .isIn(400, 413);
            var large = ask("").replace("hi", "x".repeat(3 << 20)).getBytes(StandardCharsets.UTF_8);
            assertThat(coded(node, "gzip", gzip(large)).statusCode()).isEqualTo(413);
            assertThat(coded(node, "identity", large).statusCode()).isEqualTo(413);
        }
    }

    private static HttpResponse<String> coded(Node node, String coding, byte[] body) throws IOException {
        return node.send(node.request(CHAT)
                .header("Content-Encoding", coding)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build());
    }

    private static byte[] gzip(byte[] body) throws IOException {
        var out = new java.io.ByteArrayOutputStream();
        try (var gzip = new java.util.zip.GZIPOutputStream(out)) {
            gzip.write(body);
        }
        return out.toByteArray();
    }
}
