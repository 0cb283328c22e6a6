package dev.polar.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.polar.spi.SessionStatus;
import dev.polar.wire.Json;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallbackOutboxTest {
    private record Received(
            String protocol, String length, String encoding, String upgrade, String type, String key, String body) {}

    @TempDir
    Path folder;

    private final List<Received> received = new CopyOnWriteArrayList<>();
    private final AtomicInteger status = new AtomicInteger(200);
    private HttpServer trainer;

    @BeforeEach
    void startTrainer() throws Exception {
        trainer = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        trainer.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        trainer.createContext("/done", exchange -> {
            var headers = exchange.getRequestHeaders();
            received.add(new Received(
                    exchange.getProtocol(),
                    headers.getFirst("Content-Length"),
                    headers.getFirst("Content-Encoding"),
                    headers.getFirst("Upgrade"),
                    headers.getFirst("Content-Type"),
                    headers.getFirst("Idempotency-Key"),
                    new String(exchange.getRequestBody().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8)));
            exchange.sendResponseHeaders(status.get(), -1);
            exchange.close();
        });
        trainer.start();
    }

    @AfterEach
    void stopTrainer() {
        trainer.stop(0);
    }

    private String url() {
        return "http://127.0.0.1:" + trainer.getAddress().getPort() + "/done";
    }

    private void finish(RolloutRig rig, String taskId) throws Exception {
        rig.gateway("n1");
        rig.submit(taskId, 2, ", \"callback_url\": \"" + url() + "\"");
        for (var session : rig.awaitDispatches(2)) {
            rig.deliver(taskId, session, SessionStatus.COMPLETED, null);
        }
    }

    @Test
    void a_finished_task_is_posted_once_whole_and_with_its_length() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            finish(rig, "t");
            await().until(() -> place(rig, "t").equals("done"));

            assertThat(received).hasSize(1);
            var one = received.getFirst();
            assertThat(one.protocol()).isEqualTo("HTTP/1.1");
            assertThat(one.length())
                    .isEqualTo(String.valueOf(one.body().getBytes(java.nio.charset.StandardCharsets.UTF_8).length));
            assertThat(one.encoding()).isNull();
            assertThat(one.upgrade()).isNull();
            assertThat(one.type()).isEqualTo("application/json");
            assertThat(one.key()).isEqualTo("t");
            var body = Json.MAPPER.readTree(one.body());
            assertThat(body.properties().stream().map(java.util.Map.Entry::getKey))
                    .containsExactly("task_id", "status", "results", "result_paths");
            assertThat(body.get("results")).hasSize(2);
            assertThat(body.get("status").asText()).isEqualTo("completed");
        }
    }

    @Test
    void f08_a_callback_that_fails_for_an_hour_is_delivered_later_also_over_a_restart() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            status.set(503);
            finish(rig, "t");
            for (int tries = 1; tries <= 3; tries++) {
                int made = tries;
                await().until(() -> received.size() >= made);
                await().until(() -> nextAt(rig, "t") > rig.clock.get() && nextAt(rig, "t") < rig.clock.get() + 100);
                rig.sleep(61);
                rig.server.outboxDue().ring();
            }
            rig.stop();
            rig.sleep(3600);
            status.set(200);
            rig.start();
            await().until(() -> place(rig, "t").equals("done"));
        }
    }

    @Test
    void an_answer_that_is_no_reason_to_wait_is_final_after_three_tries() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            status.set(404);
            finish(rig, "t");
            await().until(() -> {
                rig.sleep(61);
                rig.server.outboxDue().ring();
                return place(rig, "t").equals("given_up");
            });

            assertThat(received).hasSize(3);
        }
    }

    @Test
    void a_callback_is_given_up_when_its_time_is_over() throws Exception {
        try (var rig = new RolloutRig(folder, "callback_give_up_hours: 0.01")) {
            status.set(500);
            finish(rig, "t");
            await().until(() -> {
                rig.sleep(10);
                rig.server.outboxDue().ring();
                return place(rig, "t").equals("given_up");
            });
            assertThat(received).hasSizeGreaterThan(1);
        }
    }

    @Test
    void only_allowed_hosts_are_called() {
        var hosts = new CallbackHosts(List.of("*.trainer.example", "10.0.0.1"));
        assertThat(hosts.allows("http://a.trainer.example:80/x")).isTrue();
        assertThat(hosts.allows("http://A.TRAINER.example/x")).isTrue();
        assertThat(hosts.allows("http://10.0.0.1/")).isTrue();
        assertThat(hosts.allows("http://10.0.0.12/")).isFalse();
        assertThat(hosts.allows("http://trainer.example.evil/")).isFalse();
        assertThat(hosts.allows("http://axtrainer.example/")).isFalse();
        assertThat(new CallbackHosts(List.of()).allows("http://anywhere/")).isTrue();
    }

    private static String place(RolloutRig rig, String taskId) {
        return rig.server
                .database()
                .read(handle -> handle.createQuery("select place from outbox where task_id = :id")
                        .bind("id", taskId)
                        .mapTo(String.class)
                        .one());
    }

    private static double nextAt(RolloutRig rig, String taskId) {
        return rig.server
                .database()
                .read(handle -> handle.createQuery("select next_at from outbox where task_id = :id")
                        .bind("id", taskId)
                        .mapTo(Double.class)
                        .one());
    }
}
