package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A rollout server and two gateways, each a process of its own, on one topology. */
@Isolated
class ThreeProcessesIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final Path folder = KeptFolder.of(ThreeProcessesIT.class);

    @Test
    void eight_samples_run_on_both_nodes_a_restart_keeps_them_and_no_process_outlives_its_command() throws Exception {
        ServeIT.copyExample(folder);
        try (var sim = SimServer.start(SimOptions.defaults())) {
            var url = writeTopology(sim.url());
            Files.writeString(folder.resolve("task.yaml"), """
                    task_id: eight
                    instruction: Say hello.
                    num_samples: 8
                    runtime: {backend: local, prepare: [{type: upload_file, source: agent.py, target: /polar/session/agent.py}]}
                    agent: {harness: shell, custom_shell: {command: 'python3 "$SESSION_DIR/agent.py" {{INSTRUCTION}}'}}
                    builder: {strategy: prefix_merging}
                    evaluator: {strategy: session_completed}
                    """);
            try (var first = start("serve_rollout");
                    var a = start("serve_gateway", "--node-id", "a");
                    var b = start("serve_gateway", "--node-id", "b")) {
                first.ready();
                a.ready();
                b.ready();
                runsOnBothNodes(url);
                var server = first.descendants();
                first.terminate();
                assertThat(server).isNotEmpty().noneMatch(ProcessHandle::isAlive);
                try (var second = start("serve_rollout")) {
                    second.ready();
                    knowsTheTask();
                }
                server = a.descendants();
                a.terminate();
                assertThat(server).isNotEmpty().noneMatch(ProcessHandle::isAlive);
                server = b.descendants();
                b.kill();
                endsSoon(server);
            }
        }
    }

    private String writeTopology(String engine) throws Exception {
        int rollout = Ports.claim("rollout", "127.0.0.1", 0);
        Files.writeString(folder.resolve("topology.yaml"), """
                rollout: {port: %d}
                gateway:
                  heartbeat_interval_seconds: 10
                  nodes:
                    - {id: a, port: %d, model_served: sim, inference: {engine: vllm, base_url: "%4$s"}}
                    - {id: b, port: %d, model_served: sim, inference: {engine: vllm, base_url: "%4$s"}}
                """.formatted(
                        rollout, Ports.claim("a", "127.0.0.1", 0), Ports.claim("b", "127.0.0.1", 0), engine));
        return "http://127.0.0.1:" + rollout;
    }

    private PolarProcess start(String command, String... more) throws Exception {
        var arguments = new ArrayList<>(List.of(command, "-c", "topology.yaml", "--json"));
        arguments.addAll(List.of(more));
        return PolarProcess.start(folder, Map.of(), arguments.toArray(String[]::new));
    }

    private void runsOnBothNodes(String url) throws Exception {
        var done = PolarProcess.run(
                folder, Map.of(), "submit", "task.yaml", "--rollout-url", url, "--poll-interval", "0.2", "--json");
        assertThat(done.status()).as(done.err() + errors(done.json())).isZero();
        var nodes = new HashSet<String>();
        done.json()
                .path("results")
                .forEach(result -> nodes.add(result.path("node_id").asText()));
        assertThat(done.json().path("results")).hasSize(8);
        assertThat(nodes).containsExactlyInAnyOrder("a", "b");
    }

    private static List<String> errors(JsonNode task) {
        var errors = new ArrayList<String>();
        task.path("results").forEach(result -> errors.add(result.path("error").asText()));
        return errors;
    }

    private void knowsTheTask() throws Exception {
        var known = PolarProcess.run(folder, Map.of(), "status", "eight", "-c", "topology.yaml", "--json");
        assertThat(known.status()).as(known.err()).isZero();
        assertThat(known.json().path("status").asText()).isEqualTo("completed");
        assertThat(known.json().path("results")).hasSize(8).allSatisfy(result -> {
            assertThat(result.path("status").asText()).isEqualTo("COMPLETED");
            assertThat(result.path("trajectory").path("traces")).hasSize(1);
            assertThat(SimulatedLogprobs.wrongPositions(
                            result.path("trajectory").path("traces").get(0)))
                    .isEmpty();
        });
    }

    private static void endsSoon(List<ProcessHandle> processes) throws InterruptedException {
        var until = System.nanoTime() + SOON.toNanos();
        while (processes.stream().anyMatch(ProcessHandle::isAlive) && System.nanoTime() < until) {
            Thread.sleep(TimeUnit.MILLISECONDS.toMillis(200));
        }
        assertThat(processes).isNotEmpty().noneMatch(ProcessHandle::isAlive);
    }
}
