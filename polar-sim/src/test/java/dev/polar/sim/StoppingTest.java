package dev.polar.sim;

import static dev.polar.sim.Client.await;
import static dev.polar.sim.Client.chat;
import static dev.polar.sim.Client.withIds;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What stops a request from outside: callers that leave, pauses, aborts, a server that closes. */
class StoppingTest {
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private SimServer sim;
    private Client client;

    @AfterEach
    void stop() {
        sim.close();
        threads.shutdownNow();
    }

    /** Answers take hours unless something stops them. */
    private void start(SimEngine engine) throws IOException {
        sim = SimServer.start(SimOptions.builder()
                .engine(engine)
                .perToken(Duration.ofMillis(20))
                .build());
        client = new Client(sim);
    }

    private static ObjectNode endless() {
        return withIds(chat("x")).put("ignore_eos", true);
    }

    private static ObjectNode endless(SimEngine engine) {
        return engine == SimEngine.VLLM ? endless() : chat("x").put("ignore_eos", true);
    }

    private Socket open(ObjectNode body) throws IOException {
        byte[] json = Json.write(body);
        Socket socket = new Socket("127.0.0.1", sim.port());
        String head =
                "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: "
                        + json.length + "\r\n\r\n";
        socket.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().write(json);
        socket.getOutputStream().flush();
        return socket;
    }

    private Future<JsonNode> ask(ObjectNode body) {
        return threads.submit(() -> client.ok(body));
    }

    private void awaitRunning(int count) throws InterruptedException {
        await(count + " running", () -> sim.running() == count);
    }

    @Test
    void a_caller_that_leaves_ends_its_whole_answer() throws Exception {
        start(SimEngine.VLLM);
        try (Socket socket = open(endless())) {
            awaitRunning(1);
            assertThat(client.get("/metrics").text())
                    .contains("vllm:num_requests_running{engine=\"0\",model_name=\"sim\"} 1.0");
            socket.close();
            awaitRunning(0);
        }
        assertThat(client.get("/metrics").text())
                .contains("num_requests_running{engine=\"0\",model_name=\"sim\"} 0.0")
                .doesNotContain("finished_reason=\"abort\"");
    }

    @Test
    void a_caller_that_leaves_ends_its_stream() throws Exception {
        start(SimEngine.SGLANG);
        try (Socket socket = open(endless(SimEngine.SGLANG).put("stream", true))) {
            awaitRunning(1);
            socket.getInputStream().readNBytes(200);
            socket.close();
            awaitRunning(0);
        }
    }

    @Test
    void closing_only_the_sending_side_counts_as_leaving() throws Exception {
        start(SimEngine.VLLM);
        try (Socket socket = open(endless())) {
            awaitRunning(1);
            socket.shutdownOutput();
            awaitRunning(0);
        }
    }

    @Test
    void a_pause_aborts_with_the_last_token_and_lets_nobody_in_until_it_ends() throws Exception {
        start(SimEngine.VLLM);
        Future<JsonNode> running = ask(endless());
        awaitRunning(1);
        assertThat(client.post("/pause", "").text()).isEqualTo("{\"status\":\"paused\"}");
        JsonNode choice = running.get().at("/choices/0");
        assertThat(choice.get("finish_reason").asText()).isEqualTo("abort");
        assertThat(choice.get("stop_reason").isNull()).isTrue();
        assertThat(choice.get("token_ids").size())
                .isPositive()
                .isEqualTo(choice.at("/logprobs/content").size());
        assertThat(client.get("/is_paused").json().get("is_paused").asBoolean()).isTrue();
        Future<JsonNode> waiting = ask(chat("x"));
        await("one waits", () -> metric("vllm:num_requests_waiting") == 1);
        assertThat(waiting.isDone()).isFalse();
        assertThat(client.get("/health").status()).isEqualTo(200);
        assertThat(client.post("/resume", "").text()).isEqualTo("{\"status\":\"resumed\"}");
        assertThat(waiting.get().at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    }

    @Test
    void a_waiting_pause_returns_when_the_last_answer_is_done() throws Exception {
        start(SimEngine.VLLM);
        Future<JsonNode> running = ask(chat("x"));
        awaitRunning(1);
        client.post("/pause?mode=wait", "");
        assertThat(sim.running()).isZero();
        assertThat(running.get().at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    }

    @Test
    void a_keeping_pause_freezes_what_runs() throws Exception {
        start(SimEngine.VLLM);
        Future<JsonNode> running = ask(withIds(chat("x")));
        awaitRunning(1);
        client.post("/pause?mode=keep", "");
        client.post("/update_weight_version", "{\"new_version\": \"step-1\"}");
        assertThat(sim.running()).isEqualTo(1);
        client.post("/resume", "");
        assertThat(running.get().at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    }

    @Test
    void abort_requests_ends_those_it_names_with_an_empty_chunk() throws Exception {
        start(SimEngine.VLLM);
        Future<List<JsonNode>> stream = threads.submit(() -> client.events(endless(), "x-request-id", "mine"));
        Future<JsonNode> other = ask(endless());
        awaitRunning(2);
        assertThat(client.post("/abort_requests", "{\"request_ids\": [\"chatcmpl-mine\"]}")
                        .text())
                .isEqualTo("{\"status\":\"aborted\",\"aborted\":1}");
        List<JsonNode> events = stream.get();
        assertThat(events.get(events.size() - 2).get("choices").toString())
                .isEqualTo(
                        "[{\"index\":0,\"delta\":{},\"logprobs\":{\"content\":[]},\"finish_reason\":\"abort\",\"stop_reason\":null,\"token_ids\":[]}]");
        assertThat(sim.running()).isEqualTo(1);
        client.post("/abort_requests", "{}");
        assertThat(other.get().at("/choices/0/finish_reason").asText()).isEqualTo("abort");
    }

    @Test
    void sglang_pauses_aborts_and_goes_on_under_its_own_names() throws Exception {
        start(SimEngine.SGLANG);
        Future<JsonNode> running = ask(endless(SimEngine.SGLANG).put("rid", "r1"));
        awaitRunning(1);
        assertThat(client.post("/abort_request", "{\"rid\": \"r1\"}").status()).isEqualTo(200);
        assertThat(running.get().at("/choices/0/finish_reason").asText()).isEqualTo("abort");
        assertThat(client.post("/pause_generation", "{\"mode\": \"in_place\"}").text())
                .isEqualTo("{\"message\":\"Generation paused successfully.\",\"status\":\"ok\"}");
        Future<JsonNode> waiting = ask(chat("x").put("return_meta_info", true));
        await("one waits", () -> metric("sglang:num_queue_reqs") == 1);
        assertThat(client.post("/update_weight_version", "{\"new_version\": \"step-2\"}")
                        .json()
                        .get("new_version")
                        .asText())
                .isEqualTo("step-2");
        client.post("/continue_generation", "{}");
        assertThat(waiting.get().at("/choices/0/meta_info/weight_version").asText())
                .isEqualTo("step-2");
        assertThat(waiting.get().at("/metadata/weight_version").asText()).isEqualTo("step-2");
    }

    @Test
    void closing_the_simulator_breaks_what_runs() throws Exception {
        start(SimEngine.VLLM);
        Future<JsonNode> running = ask(endless());
        awaitRunning(1);
        sim.close();
        assertThat(running).failsWithin(Duration.ofSeconds(30));
    }

    private double metric(String name) {
        try {
            return client.get("/metrics")
                    .text()
                    .lines()
                    .filter(line -> line.startsWith(name))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        }
    }
}
