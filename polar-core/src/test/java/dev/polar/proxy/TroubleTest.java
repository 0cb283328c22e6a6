package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.proxy.Told.Api;
import dev.polar.sim.Fault;
import dev.polar.sim.Fault.Kind;
import dev.polar.sim.Fault.Shape;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each way in which an engine fails, to an agent of each dialect: instead of an answer, instead of a stream, and within a stream. */
class TroubleTest {
    private static final StreamTimes AT_ONCE =
            new StreamTimes(Duration.ofMillis(10), Duration.ofMillis(60), Duration.ofMillis(20));
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** @param status what the agent gets */
    private record Trouble(Fault fault, int status) {}

    private static List<Trouble> troubles() {
        var troubles = new ArrayList<Trouble>();
        for (int status : List.of(400, 401, 404, 422, 429, 500, 503)) {
            troubles.add(new Trouble(Fault.status(status).saying("the reason why"), status));
        }
        for (var shape : Shape.values()) {
            troubles.add(new Trouble(Fault.status(500).shaped(shape).saying("the reason why"), 500));
        }
        troubles.add(new Trouble(Fault.of(Kind.CUT), 502));
        troubles.add(new Trouble(Fault.of(Kind.ERROR_CHUNK), 500));
        return troubles;
    }

    static Stream<Arguments> agents() {
        return Arrays.stream(SimEngine.values())
                .flatMap(engine -> Arrays.stream(Api.values()).map(api -> Arguments.of(engine, api)));
    }

    private static HttpRequest.Builder asked(Node node, Api api, boolean streamed, String text) {
        var body = (ObjectNode)
                Bodies.parsed(api.ask(JsonNodeFactory.instance.arrayNode().add(api.user(text)), false));
        if (!streamed) {
            body.remove("stream");
        }
        var path = streamed ? api.path : api.path.replace("streamGenerateContent?alt=sse", "generateContent");
        return node.request(path).POST(HttpRequest.BodyPublishers.ofString(Bodies.text(body)));
    }

    private static HttpResponse<String> ask(Node node, Api api, boolean streamed) throws IOException {
        return node.send(asked(node, api, streamed, "hi").build());
    }

    /** The fault strikes when the stream's head is out. */
    private static String within(Node node, Api api, Fault fault) throws Exception {
        node.control.pause(Duration.ofSeconds(10));
        var response = HTTP.send(asked(node, api, true, "hi").build(), HttpResponse.BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        node.sim.faults().add(fault);
        node.control.resume();
        try (InputStream in = response.body()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void isError(Api api, JsonNode body, int status) {
        assertThat(body.at("/error/message").textValue()).isNotBlank();
        switch (api) {
            case CHAT, RESPONSES -> {
                assertThat(body.at("/error/type").textValue()).isNotBlank();
                assertThat(body.path("error").has("param")).isTrue();
                assertThat(body.path("error").has("code")).isTrue();
            }
            case MESSAGES -> {
                assertThat(body.path("type").textValue()).isEqualTo("error");
                assertThat(body.at("/error/type").textValue()).endsWith("_error");
            }
            case GOOGLE -> {
                assertThat(body.at("/error/code").intValue()).isEqualTo(status);
                assertThat(body.at("/error/status").textValue()).matches("[A-Z_]+");
            }
        }
    }

    private static void endsInError(Api api, String stream) throws IOException {
        assertThat(api.read(stream).finish()).as(stream).isNull();
        assertThat(stream).doesNotContain("[DONE]");
        // Google's agents look for it outside of the events
        var last = api == Api.GOOGLE
                ? Bodies.parsed(stream.substring(stream.lastIndexOf('\n') + 1))
                : Node.events(stream).getLast();
        switch (api) {
            case CHAT, GOOGLE ->
                assertThat(last.at("/error/message").textValue()).as(stream).isNotBlank();
            case MESSAGES -> {
                assertThat(stream).contains("event: error\n");
                assertThat(last.path("type").textValue()).isEqualTo("error");
                assertThat(last.at("/error/type").textValue()).isNotBlank();
            }
            case RESPONSES -> {
                assertThat(last.path("type").textValue()).isEqualTo("response.failed");
                assertThat(last.at("/response/status").textValue()).isEqualTo("failed");
                assertThat(last.at("/response/error/message").textValue()).isNotBlank();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("agents")
    void b10_b11_each_error_is_the_dialects_own_before_the_stream_and_within_it(SimEngine engine, Api api)
            throws Exception {
        try (var node = new Node(SimOptions.builder().engine(engine).build());
                var open = new Node(SimOptions.builder().engine(engine).build(), Node.Setup.DEFAULT.times(AT_ONCE))) {
            for (var trouble : troubles()) {
                for (boolean streamed : List.of(false, true)) {
                    node.sim.faults().add(trouble.fault());
                    var response = ask(node, api, streamed);
                    assertThat(response.statusCode()).as(trouble.toString()).isEqualTo(trouble.status());
                    isError(api, Bodies.parsed(response.body()), trouble.status());
                }
                endsInError(api, within(open, api, trouble.fault()));
            }
            assertThat(node.recorder.failed).hasValue(2 * troubles().size());
            assertThat(open.recorder.failed).hasValue(troubles().size());
            assertThat(node.recorder.entries).isEmpty();
            assertThat(open.recorder.delivered).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("agents")
    void b21_an_engine_that_falls_silent_is_an_error_in_each_form(SimEngine engine, Api api) throws Exception {
        var setup = Node.Setup.DEFAULT.silence(Duration.ofMillis(400));
        try (var node = new Node(SimOptions.builder().engine(engine).build(), setup);
                var open = new Node(SimOptions.builder().engine(engine).build(), setup.times(AT_ONCE))) {
            for (boolean streamed : List.of(false, true)) {
                node.sim.faults().add(Fault.of(Kind.SILENCE));
                var response = ask(node, api, streamed);
                assertThat(response.statusCode()).isEqualTo(504);
                isError(api, Bodies.parsed(response.body()), 504);
            }
            endsInError(api, within(open, api, Fault.of(Kind.SILENCE)));
        }
    }

    @ParameterizedTest
    @MethodSource("agents")
    void a_dead_engine_is_an_error_in_each_form(SimEngine engine, Api api) throws Exception {
        try (var node = new Node(SimOptions.builder().engine(engine).build(), Node.Setup.DEFAULT.times(AT_ONCE))) {
            node.control.pause(Duration.ofSeconds(10));
            var response = HTTP.send(asked(node, api, true, "hi").build(), HttpResponse.BodyHandlers.ofInputStream());
            node.sim.close();
            node.control.resume();
            try (var in = response.body()) {
                endsInError(api, new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
            var whole = ask(node, api, false);
            assertThat(whole.statusCode()).isEqualTo(502);
            isError(api, Bodies.parsed(whole.body()), 502);
        }
    }

    @ParameterizedTest
    @MethodSource("agents")
    void b05_a_prompt_over_the_window_is_told_in_the_words_that_the_agents_know(SimEngine engine, Api api)
            throws IOException {
        try (var node =
                new Node(SimOptions.builder().engine(engine).contextLength(64).build())) {
            for (boolean streamed : List.of(false, true)) {
                var response = node.send(
                        asked(node, api, streamed, "many words ".repeat(100)).build());
                assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
                var body = Bodies.parsed(response.body());
                isError(api, body, 400);
                switch (api) {
                    case CHAT, RESPONSES ->
                        assertThat(body.at("/error/code").textValue()).isEqualTo("context_length_exceeded");
                    case MESSAGES ->
                        assertThat(body.at("/error/message").textValue()).startsWith("prompt is too long: ");
                    case GOOGLE ->
                        assertThat(body.at("/error/message").textValue())
                                .contains("exceeds the maximum number of tokens allowed");
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("agents")
    void an_answer_that_cannot_train_or_was_cut_off_for_new_weights_ends_as_each_dialect_ends(SimEngine engine, Api api)
            throws Exception {
        var spoiled = List.of(
                Kind.ABORT,
                Kind.NAN_LOGPROB,
                Kind.NULL_LOGPROB,
                Kind.POSITIVE_LOGPROB,
                Kind.MISSING_LOGPROBS,
                Kind.MISSING_IDS,
                Kind.WRONG_USAGE,
                Kind.SHORT_IDS);
        try (var node = new Node(SimOptions.builder().engine(engine).build());
                var open = new Node(SimOptions.builder().engine(engine).build(), Node.Setup.DEFAULT.times(AT_ONCE))) {
            for (var kind : spoiled) {
                var fault = Fault.of(kind).after(2);
                node.sim.faults().add(fault);
                assertThat(ask(node, api, false).statusCode()).as(kind.name()).isEqualTo(200);
                node.sim.faults().add(fault);
                var stream = ask(node, api, true).body();
                assertThat(api.read(stream).finish()).as(stream).isNotNull();
                assertThat(api.read(within(open, api, fault)).finish())
                        .as(kind.name())
                        .isNotNull();
            }
            assertThat(node.recorder.delivered).hasSize(2 * spoiled.size());
        }
    }
}
