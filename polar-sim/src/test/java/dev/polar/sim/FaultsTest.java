package dev.polar.sim;

import static dev.polar.sim.Client.chat;
import static dev.polar.sim.Client.ids;
import static dev.polar.sim.Client.withIds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FaultsTest {
    private SimServer sim;
    private Client client;

    @BeforeEach
    void start() throws Exception {
        sim = SimServer.start(SimOptions.defaults());
        client = new Client(sim);
    }

    @AfterEach
    void stop() {
        sim.close();
    }

    private Client.Reply post() throws Exception {
        return client.post("/v1/chat/completions", withIds(chat("x")));
    }

    private JsonNode whole(Fault.Kind kind) throws Exception {
        sim.faults().add(Fault.of(kind));
        return client.ok(withIds(chat("x"))).at("/choices/0");
    }

    private List<JsonNode> streamed(Fault fault) throws Exception {
        sim.faults().add(fault);
        return client.events(withIds(chat("x")));
    }

    @Test
    void a_status_has_the_engines_error_and_strikes_as_often_as_it_was_put_in() throws Exception {
        sim.faults().add(Fault.status(503).retryAfter(2).saying("busy"), 2);
        for (int i = 0; i < 2; i++) {
            Client.Reply reply = post();
            assertThat(reply.status()).isEqualTo(503);
            assertThat(reply.text())
                    .isEqualTo(
                            "{\"error\":{\"message\":\"busy\",\"type\":\"InternalServerError\",\"param\":null,\"code\":503}}");
            assertThat(reply.raw().headers().firstValue("retry-after")).hasValue("2");
        }
        assertThat(post().status()).isEqualTo(200);
    }

    @Test
    void errors_come_in_other_shapes_too() throws Exception {
        for (Fault.Shape shape : Fault.Shape.values()) {
            sim.faults().add(Fault.status(429).shaped(shape).saying("slow down"));
        }
        assertThat(post().json().at("/error/message").asText()).isEqualTo("slow down");
        assertThat(post().text()).isEqualTo("{\"detail\":\"slow down\"}");
        assertThat(post().text()).isEqualTo("slow down");
        assertThat(post().text()).startsWith("<html>");
        assertThat(post().text()).isEmpty();
    }

    @Test
    void a_cut_breaks_a_stream_and_a_body_in_the_middle() throws Exception {
        sim.faults().add(Fault.of(Fault.Kind.CUT).after(2));
        assertThatThrownBy(() -> client.events(withIds(chat("x")))).isInstanceOf(IOException.class);
        sim.faults().add(Fault.of(Fault.Kind.CUT));
        assertThatThrownBy(this::post).isInstanceOf(IOException.class);
        assertThat(post().status()).isEqualTo(200);
    }

    @Test
    void an_engine_that_dies_says_so_in_the_stream_and_then_ends_it() throws Exception {
        List<JsonNode> events = streamed(Fault.of(Fault.Kind.ERROR_CHUNK).after(2));
        assertThat(events).hasSize(5); // role, two tokens, error, done
        assertThat(events.get(3).at("/error/code").intValue()).isEqualTo(500);
        assertThat(events.getLast().asText()).isEqualTo("[DONE]");
        sim.faults().add(Fault.of(Fault.Kind.ERROR_CHUNK).after(2));
        assertThat(post().status()).isEqualTo(500);
    }

    @Test
    void a_stream_can_lack_its_finish() throws Exception {
        List<JsonNode> events = streamed(Fault.of(Fault.Kind.NO_FINISH));
        assertThat(events)
                .noneMatch(event -> event.at("/choices/0/finish_reason").isTextual());
        assertThat(events.getLast().asText()).isEqualTo("[DONE]");
        assertThat(whole(Fault.Kind.NO_FINISH).get("finish_reason").isNull()).isTrue();
    }

    @Test
    void silence_keeps_the_connection_open_until_the_caller_leaves() throws Exception {
        sim.faults().add(Fault.of(Fault.Kind.SILENCE));
        byte[] body = Json.write(chat("x").put("stream", true));
        try (Socket socket = new Socket("127.0.0.1", sim.port())) {
            socket.setSoTimeout(300);
            socket.getOutputStream()
                    .write(
                            ("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: "
                                            + body.length + "\r\n\r\n")
                                    .getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().write(body);
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            assertThat(sim.running()).isEqualTo(1);
        }
        Client.await("it is let go", () -> sim.running() == 0);
    }

    @Test
    void a_pause_is_over_after_its_time_and_what_was_to_come_comes() throws Exception {
        sim.faults().add(Fault.of(Fault.Kind.PAUSE).after(2).lasting(60));
        var paused = new FutureTask<>(() -> client.events(withIds(chat("x"))));
        Thread.ofVirtual().start(paused);
        Client.await("it runs", () -> sim.running() == 1);
        Thread.sleep(200);
        assertThat(paused.isDone()).isFalse();
        sim.close(); // which ends each wait

        sim = SimServer.start(SimOptions.defaults());
        client = new Client(sim);
        sim.faults().add(Fault.of(Fault.Kind.PAUSE).after(2).lasting(1));
        assertThat(client.events(withIds(chat("x"))).getLast().asText()).isEqualTo("[DONE]");
        sim.faults().add(Fault.of(Fault.Kind.PAUSE).lasting(1));
        assertThat(whole(Fault.Kind.NONE).get("finish_reason").asText()).isEqualTo("stop");
    }

    @Test
    void logprobs_can_be_wrong_or_missing() throws Exception {
        sim.faults().add(Fault.of(Fault.Kind.NAN_LOGPROB), 2);
        assertThat(post().text()).contains("\"logprob\":NaN,");
        assertThat(client.post("/v1/chat/completions", withIds(chat("x")).put("stream", true))
                        .text())
                .containsOnlyOnce("\"logprob\":NaN,");
        assertThat(whole(Fault.Kind.NULL_LOGPROB)
                        .at("/logprobs/content/0/logprob")
                        .isNull())
                .isTrue();
        assertThat(whole(Fault.Kind.POSITIVE_LOGPROB)
                        .at("/logprobs/content/0/logprob")
                        .doubleValue())
                .isEqualTo(0.5);
        assertThat(whole(Fault.Kind.MISSING_LOGPROBS).get("logprobs").isNull()).isTrue();
        assertThat(streamed(Fault.of(Fault.Kind.MISSING_LOGPROBS)))
                .noneMatch(event -> event.at("/choices/0/logprobs").isObject());
    }

    @Test
    void ids_can_be_missing_short_or_not_what_usage_says() throws Exception {
        assertThat(whole(Fault.Kind.MISSING_IDS).has("token_ids")).isFalse();
        JsonNode choice = whole(Fault.Kind.SHORT_IDS);
        assertThat(choice.get("token_ids").size())
                .isEqualTo(choice.at("/logprobs/content").size() - 1);
        sim.faults().add(Fault.of(Fault.Kind.WRONG_USAGE));
        JsonNode answer = client.ok(withIds(chat("x")));
        assertThat(answer.at("/usage/completion_tokens").intValue())
                .isEqualTo(answer.at("/choices/0/token_ids").size() + 1);
    }

    @Test
    void an_abort_ends_with_what_there_was() throws Exception {
        sim.faults().add(Fault.of(Fault.Kind.ABORT).after(3));
        JsonNode choice = client.ok(withIds(chat("x"))).at("/choices/0");
        assertThat(choice.get("finish_reason").asText()).isEqualTo("abort");
        assertThat(ids(choice.get("token_ids"))).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.Kind.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SILENCE", "PAUSE"})
    void every_kind_strikes_sglang_as_well_and_leaves_no_request_behind(Fault.Kind kind) throws Exception {
        try (SimServer other =
                SimServer.start(SimOptions.builder().engine(SimEngine.SGLANG).build())) {
            Client sglang = new Client(other);
            ObjectNode body = chat("x")
                    .put("logprobs", true)
                    .put("return_token_ids", true)
                    .put("seed", 1);
            String healthy = text(sglang, body);
            other.faults().add(Fault.of(kind));
            String ill;
            try {
                ill = text(sglang, body);
            } catch (IOException e) {
                ill = "broken";
            }
            assertThat(ill.equals(healthy)).isEqualTo(kind == Fault.Kind.NONE);
            Client.await("nothing runs", () -> other.running() == 0);
        }
    }

    /** An answer without what differs between two equal ones. */
    private static String text(Client client, ObjectNode body) throws IOException, InterruptedException {
        return client.post("/v1/chat/completions", body).text().replaceAll("\"(id|created)\":[^,]*,", "");
    }

    @Test
    void faults_can_be_put_in_over_http() throws Exception {
        ObjectNode fault = Json.object()
                .put("kind", "status")
                .put("status", 418)
                .put("count", 2)
                .put("shape", "text")
                .put("message", "teapot");
        assertThat(client.post("/sim/faults", fault).text()).isEqualTo("{\"pending\":2}");
        assertThat(post().status()).isEqualTo(418);
        assertThat(client.get("/sim/faults").text()).isEqualTo("{\"pending\":1}");
        sim.faults().clear();
        assertThat(post().status()).isEqualTo(200);
        Client.Reply wrong = client.post("/sim/faults", Json.object().put("kind", "meteor"));
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(wrong.json().get("detail").asText()).contains("meteor").contains("short_ids");
    }
}
