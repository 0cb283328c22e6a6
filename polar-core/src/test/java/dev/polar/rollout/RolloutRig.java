package dev.polar.rollout;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.events.EventChannel;
import dev.polar.rollout.SessionLedger.Verdict;
import dev.polar.security.ControlToken;
import dev.polar.spi.SessionResult;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.TaskState;
import dev.polar.spi.Timing;
import dev.polar.spi.Trace;
import dev.polar.spi.Trajectory;
import dev.polar.topology.TopologyLoader;
import dev.polar.wire.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** A real rollout server on a real database in a folder of the test's, with a clock that the test can move. */
final class RolloutRig implements AutoCloseable {
    final List<StandInGateway> gateways = new ArrayList<>();
    final AtomicReference<Double> clock = new AtomicReference<>(1_000_000.0);

    private final Path folder;
    private final String settings;
    RolloutServer server;

    /** @param settings lines below {@code rollout:} */
    RolloutRig(Path folder, String... settings) throws IOException {
        this.folder = folder;
        this.settings = "rollout:\n  dispatch_poll_interval_seconds: 0.05\n  "
                + String.join("\n  ", settings)
                + "\ngateway:\n  nodes:\n    - id: unused\n";
        start();
    }

    void start() throws IOException {
        var file = Files.writeString(folder.resolve("topology.yaml"), settings);
        var topology = TopologyLoader.load(file, key -> Optional.empty(), name -> Optional.empty(), warning -> {});
        var state = Files.createDirectories(folder.resolve("state"));
        server = new RolloutServer(
                topology,
                state,
                new ControlToken(Optional.empty()),
                new EventChannel(100, Duration.ofMinutes(1)),
                clock::get);
    }

    /** A node that has registered. */
    StandInGateway gateway(String nodeId) throws IOException {
        var gateway = new StandInGateway(nodeId);
        gateways.add(gateway);
        server.nodes().register(gateway.registration());
        return gateway;
    }

    /** Submits a task; {@code keys} are added to its JSON, each with a comma before it. */
    void submit(String taskId, int samples, String keys) {
        server.tasks()
                .submit(server.binding()
                        .bind(task(taskId, samples, keys).getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    }

    static String task(String taskId, int samples, String keys) {
        return """
                {"task_id": "%s", "instruction": "none", "num_samples": %d, "timeout_seconds": 60,
                 "runtime": {"backend": "local"}, "agent": {"harness": "shell", "custom_shell": {"command": "true"}}%s}
                """.formatted(taskId, samples, keys);
    }

    /** Waits until nodes have been given so many sessions in all; those ids, in the order of arrival. */
    List<String> awaitDispatches(int count) {
        await().until(() ->
                gateways.stream().mapToInt(gateway -> gateway.dispatches.size()).sum() >= count);
        return gateways.stream()
                .flatMap(gateway -> gateway.dispatches.stream())
                .map(dispatch -> dispatch.get("session_id").asText())
                .toList();
    }

    Verdict deliver(String taskId, String sessionId, SessionStatus status, String error) throws IOException {
        return deliver(Json.MAPPER.writeValueAsString(result(taskId, sessionId, status, error)));
    }

    /** What the resource does with a body. */
    Verdict deliver(String body) throws IOException {
        var received = server.files()
                .receive(new ByteArrayInputStream(body.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        try {
            return server.sessions().result(received, ResultSummary.read(received));
        } finally {
            Files.deleteIfExists(received);
        }
    }

    static SessionResult result(String taskId, String sessionId, SessionStatus status, String error) {
        var trace = new Trace(
                new int[] {1, 2},
                new int[] {3, 4},
                new int[] {1, 0},
                List.of(),
                List.of(),
                null,
                "stop",
                new double[] {-0.5, -0.25},
                0.5,
                Map.of());
        var trajectory = new Trajectory(
                status,
                Map.of("record_count", 3, "evaluation", Map.of("outcome_reward", 0.5)),
                status == SessionStatus.COMPLETED ? List.of(trace) : List.of(),
                error);
        return new SessionResult(sessionId, taskId, status, trajectory, Timing.ZERO, "n1", error, Map.of());
    }

    JsonNode status(String taskId) throws IOException {
        var out = new ByteArrayOutputStream();
        var document = server.documents().status(taskId).orElseThrow();
        document.writeTo(out);
        if (out.size() != document.length()) {
            throw new AssertionError("said " + document.length() + " bytes and wrote " + out.size());
        }
        return Json.MAPPER.readTree(out.toByteArray());
    }

    void awaitState(String taskId, TaskState state) {
        await().until(() -> status(taskId).get("status").asText().equals(state.wire()));
    }

    List<SessionRow> rows(String taskId) {
        return server.database().read(handle -> server.stores().sessions().ofTask(handle, taskId));
    }

    void sleep(double seconds) {
        clock.updateAndGet(time -> time + seconds);
    }

    void stop() {
        server.close();
    }

    @Override
    public void close() {
        server.close();
        gateways.forEach(StandInGateway::close);
    }
}
