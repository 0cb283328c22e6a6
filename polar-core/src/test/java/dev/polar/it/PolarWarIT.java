package dev.polar.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.wire.Json;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ArquillianExtension.class)
class PolarWarIT {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private record Answer(int status, String type, String text) {
        JsonNode json() throws IOException {
            return Json.MAPPER.readTree(text);
        }
    }

    @Deployment(testable = false)
    static WebArchive war() {
        return ShrinkWrap.createFromZipFile(WebArchive.class, new File(System.getProperty("polar.it.war")));
    }

    private static HttpRequest.Builder request(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(30));
    }

    private static Answer send(HttpRequest request) throws Exception {
        var answer = HTTP.send(request, BodyHandlers.ofString());
        return new Answer(
                answer.statusCode(), answer.headers().firstValue("Content-Type").orElse(""), answer.body());
    }

    private static Answer get(int port, String path) throws Exception {
        return send(request(port, path).build());
    }

    private static Answer post(int port, String path, String body) throws Exception {
        return send(request(port, path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build());
    }

    private static void awaitNode() {
        await().atMost(Duration.ofMinutes(1))
                .until(() -> get(ServerFolder.rolloutPort(), "/health")
                                .json()
                                .path("nodes")
                                .asInt()
                        == 1);
    }

    private static String task(String taskId, int samples) {
        return """
                {"task_id": "%s", "instruction": "none", "num_samples": %d, "runtime": {"backend": "local"},
                 "agent": {"harness": "no-such-harness"}, "metadata": {"group_id": "g"}}
                """.formatted(taskId, samples);
    }

    private static String newId() {
        return "it-" + UUID.randomUUID();
    }

    @Test
    void each_role_answers_health_at_its_own_port_and_the_platform_at_the_admin_port() throws Exception {
        awaitNode();
        assertThat(get(ServerFolder.rolloutPort(), "/health")
                        .json()
                        .get("status")
                        .asText())
                .isEqualTo("ok");
        assertThat(get(ServerFolder.gatewayPort(), "/health")
                        .json()
                        .get("node_id")
                        .asText())
                .isEqualTo("it");
        var ready = get(ServerFolder.adminPort(), "/health/ready").json();
        assertThat(ready.get("status").asText()).isEqualTo("UP");
        assertThat(ready.at("/checks/0/data/rollout").asBoolean()).isTrue();
        assertThat(get(ServerFolder.adminPort(), "/health/live")
                        .json()
                        .get("status")
                        .asText())
                .isEqualTo("UP");
        assertThat(get(ServerFolder.rolloutPort(), "/health/ready").status()).isEqualTo(404);
    }

    @Test
    void a_role_serves_its_own_paths_alone_and_nobody_can_name_a_base() throws Exception {
        for (var path : List.of(
                "/sessions",
                "/-gateway/health",
                "/-rollout/health",
                "/%2Drollout/health",
                "/x/../-rollout/health",
                "/-rollout%2Fhealth",
                "/x%2F..%2F-rollout/health",
                "/%5C-rollout/health",
                "/")) {
            assertThat(get(ServerFolder.rolloutPort(), path).status()).as(path).isEqualTo(404);
        }
        for (var path : List.of("/nodes", "/tasks", "/rollout/status", "/-gateway/health", "/-rollout/health")) {
            assertThat(get(ServerFolder.gatewayPort(), path).status()).as(path).isEqualTo(404);
        }
        assertThat(get(ServerFolder.gatewayPort(), "/").json().get("service").asText())
                .isEqualTo("polar-gateway");
    }

    @Test
    void the_agents_port_serves_the_proxy_and_the_root_and_nothing_else() throws Exception {
        int agents = ServerFolder.agentPort();
        assertThat(get(agents, "/").status()).isEqualTo(200);
        assertThat(send(request(agents, "/")
                                .method("HEAD", BodyPublishers.noBody())
                                .build())
                        .status())
                .isEqualTo(200);
        for (var path : List.of("/health", "/sessions", "/events", "/nodes", "/admin/inference/status")) {
            assertThat(get(agents, path).status()).as(path).isEqualTo(404);
        }
        for (var path :
                List.of("/v1%2F..%2Fhealth", "/v1/..%2Fhealth", "/v1/..%2F..%2Fsessions", "/s/..%5C..%5Chealth")) {
            assertThat(get(agents, path).status()).as(path).isIn(400, 401, 404);
        }
        var call = "{\"model\": \"any\", \"messages\": [{\"role\": \"user\", \"content\": \"x\"}]}";
        assertThat(post(agents, "/v1/chat/completions", call).status()).isEqualTo(401);
        assertThat(post(ServerFolder.gatewayPort(), "/v1/chat/completions", call)
                        .status())
                .isEqualTo(401);
        assertThat(post(ServerFolder.rolloutPort(), "/v1/chat/completions", call)
                        .status())
                .isEqualTo(404);
    }

    @Test
    void errors_say_what_is_wrong_in_detail() throws Exception {
        int rollout = ServerFolder.rolloutPort();
        record Case(Answer answer, int status, String detail) {}
        var cases = List.of(
                new Case(get(rollout, "/rollout/task/none"), 404, "Task not found"),
                new Case(get(rollout, "/no/such/path"), 404, "Not Found"),
                new Case(get(rollout, "/rollout/task/no%2Fne"), 404, "Task not found"),
                new Case(get(rollout, "/rollout/task/%ff%fe"), 400, "percent-encoded UTF-8"),
                new Case(get(rollout, "/tasks?status=%ff"), 400, "percent-encoded UTF-8"),
                new Case(
                        send(request(rollout, "/rollout/task/submit")
                                .PUT(BodyPublishers.ofString("{}"))
                                .build()),
                        405,
                        "Method Not Allowed"),
                new Case(post(rollout, "/rollout/task/submit", "{not"), 400, "not JSON"),
                new Case(post(rollout, "/rollout/task/submit", ""), 400, "empty"),
                new Case(post(rollout, "/rollout/task/submit", "[]"), 422, "object"),
                new Case(post(rollout, "/rollout/task/submit", "{\"task_idd\": 1}"), 422, "task_id"),
                new Case(get(rollout, "/tasks?limit=1001"), 422, "1001"),
                new Case(get(rollout, "/nodes/none"), 404, "'none'"),
                new Case(post(rollout, "/nodes/none/heartbeat", "{}"), 404, "'none'"));
        for (var one : cases) {
            assertThat(one.answer.status).as(one.detail).isEqualTo(one.status);
            assertThat(one.answer.type).startsWith("application/problem+json");
            assertThat(one.answer.json().get("detail").asText()).contains(one.detail);
        }
    }

    @Test
    void an_id_may_hold_whatever_the_contract_allows() throws Exception {
        int rollout = ServerFolder.rolloutPort();
        var id = newId() + "#\\?%&;=ü .";
        var submitted = post(rollout, "/rollout/task/submit", task(id.replace("\\", "\\\\"), 1));
        assertThat(submitted.status()).as(submitted.text()).isEqualTo(200);
        var encoded = URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");

        for (var path : List.of("/rollout/task/" + encoded, "/tasks/" + encoded + "/sessions")) {
            var told = get(rollout, path);
            assertThat(told.status()).as(path).isEqualTo(200);
            assertThat(told.json().get("task_id").asText()).isEqualTo(id);
        }
    }

    @Test
    void a_task_goes_from_submit_over_the_gateway_to_its_results() throws Exception {
        awaitNode();
        int rollout = ServerFolder.rolloutPort();
        var id = newId();
        var submitted = post(rollout, "/rollout/task/submit", task(id, 2));
        assertThat(submitted.status()).isEqualTo(200);
        assertThat(submitted.json())
                .isEqualTo(Json.MAPPER.readTree("{\"task_id\": \"" + id + "\", \"status\": \"running\"}"));
        await().atMost(Duration.ofMinutes(1))
                .until(() -> get(rollout, "/rollout/task/" + id)
                        .json()
                        .get("status")
                        .asText()
                        .equals("completed"));

        var status = get(rollout, "/rollout/task/" + id).json();
        assertThat(status.get("results")).hasSize(2);
        for (var result : status.get("results")) {
            assertThat(result.get("status").asText()).isEqualTo("ERROR");
            assertThat(result.get("error").asText()).contains("'local'").contains("known: none");
            assertThat(result.at("/metadata/group_id").asText()).isEqualTo("g");
        }
        var sessions = get(rollout, "/tasks/" + id + "/sessions").json().get("sessions");
        assertThat(sessions).hasSize(2);
        assertThat(sessions.get(0).get("node_id").asText()).isEqualTo("it");
        var listed = get(rollout, "/tasks?harness=no-such-harness&status=completed")
                .json()
                .get("tasks");
        assertThat(StreamSupport.stream(listed.spliterator(), false)
                        .map(row -> row.get("task_id").asText()))
                .contains(id);
        assertThat(get(rollout, "/rollout/status").json().at("/tasks/" + id).asText())
                .isEqualTo("completed");
    }

    @Test
    void cancel_takes_any_content_type_and_an_empty_body() throws Exception {
        int rollout = ServerFolder.rolloutPort();
        var id = newId();
        var tombstone = send(request(rollout, "/rollout/task/" + id + "?register_if_missing=true")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .DELETE()
                .build());
        assertThat(tombstone.status()).isEqualTo(200);
        assertThat(tombstone.json().get("status").asText()).isEqualTo("cancelled");
        assertThat(post(rollout, "/rollout/task/submit", task(id, 1)).status()).isEqualTo(409);
        assertThat(send(request(rollout, "/rollout/task/" + newId()).DELETE().build())
                        .status())
                .isEqualTo(404);
    }

    @Test
    void pausing_reaches_the_gateway_and_says_so() throws Exception {
        awaitNode();
        for (var word : List.of("pause", "resume")) {
            var answer = send(request(ServerFolder.rolloutPort(), "/rollout/admin/inference/" + word)
                    .header("Content-Type", "text/plain")
                    .POST(BodyPublishers.noBody())
                    .build());
            assertThat(answer.status()).as(answer.text()).isEqualTo(200);
            assertThat(answer.json().get("all_paused").asBoolean()).isEqualTo(word.equals("pause"));
            assertThat(answer.json().at("/nodes/0/node_id").asText()).isEqualTo("it");
        }
    }

    @Test
    void events_come_as_they_happen_and_resume_after_the_last_that_was_seen() throws Exception {
        awaitNode();
        var id = newId();
        String seen;
        try (var events = follow(null)) {
            assertThat(events.next().at("/data/type").asText()).isEqualTo("hello");
            post(ServerFolder.rolloutPort(), "/rollout/task/submit", task(id, 1));
            JsonNode created;
            do {
                created = events.next();
            } while (!created.at("/data/data/task_id").asText().equals(id));
            assertThat(created.at("/data/type").asText()).isEqualTo("task.created");
            seen = created.get("id").asText();
        }
        try (var events = follow(seen)) {
            assertThat(events.next().at("/data/type").asText()).isEqualTo("hello");
            var types = new ArrayList<String>();
            while (!types.contains("task.completed")) {
                var event = events.next();
                if (event.at("/data/data/task_id").asText().equals(id)) {
                    types.add(event.at("/data/type").asText());
                }
            }
            assertThat(types).doesNotContain("task.created").contains("session.state_changed");
        }
    }

    @Test
    void the_platform_documents_the_paths_that_clients_use() throws Exception {
        var document =
                get(ServerFolder.adminPort(), "/openapi?format=json").json().get("paths");
        assertThat(document.has("/rollout/task/submit")).isTrue();
        assertThat(document.has("/sessions")).isTrue();
        assertThat(document.toString()).doesNotContain("/-rollout").doesNotContain("/-gateway");
    }

    @Test
    void a_waiting_stream_holds_no_thread_of_the_containers_pool() throws Exception {
        List<Stream> open = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) {
                open.add(follow(null));
            }
            for (var stream : open) {
                assertThat(stream.next().at("/data/type").asText()).isEqualTo("hello");
            }
            assertThat(get(ServerFolder.rolloutPort(), "/health").status()).isEqualTo(200);
        } finally {
            for (var stream : open) {
                stream.close();
            }
        }
    }

    /** Frames of an event stream, over a socket of its own that can be closed in the middle. */
    private record Stream(Socket socket, BufferedReader reader) implements AutoCloseable {
        /** {@code {"id": …, "data": …}} of the next frame. */
        JsonNode next() throws IOException {
            var frame = Json.MAPPER.createObjectNode();
            while (true) {
                var line = reader.readLine();
                if (line == null) {
                    throw new IOException("the stream ended");
                }
                if (line.startsWith("id: ")) {
                    frame.put("id", line.substring(4));
                } else if (line.startsWith("data: ")) {
                    return frame.set("data", Json.MAPPER.readTree(line.substring(6)));
                }
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static Stream follow(String lastEventId) throws IOException {
        var socket = new Socket("127.0.0.1", ServerFolder.rolloutPort());
        socket.setSoTimeout(30_000);
        var head = "GET /events HTTP/1.1\r\nHost: 127.0.0.1:" + ServerFolder.rolloutPort() + "\r\n"
                + (lastEventId == null ? "" : "Last-Event-ID: " + lastEventId + "\r\n") + "\r\n";
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        return new Stream(
                socket, new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)));
    }
}
