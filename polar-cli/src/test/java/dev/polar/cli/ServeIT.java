package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.export.ExportFormat;
import dev.polar.export.FileType;
import dev.polar.export.Readers;
import dev.polar.sim.SimServer;
import dev.polar.wire.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code polar serve} with both roles, the simulator behind it, and the client commands against it. */
@Isolated
class ServeIT {
    private static Path folder;

    private static SimServer sim;
    private static PolarProcess server;
    private static String url;

    @BeforeAll
    static void serve() throws Exception {
        folder = KeptFolder.of(ServeIT.class);
        copyExample(folder);
        sim = SimCommand.start(SimCommand.options(folder.resolve("scenario.yaml"), null));
        server = PolarProcess.start(
                folder,
                Map.of("POLAR_PORT", "0", "POLAR_GATEWAY_PORT", "0", "MODEL_URL", sim.url() + "/v1"),
                "serve",
                "-c",
                "topology.yaml",
                "--json");
        var ready = server.ready();
        assertThat(ready.path("ready").asBoolean()).isTrue();
        assertThat(ready.path("gateway").asText()).startsWith("http://127.0.0.1:");
        url = ready.path("url").asText();
    }

    @AfterAll
    static void end() {
        if (server != null) {
            server.close();
        }
        if (sim != null) {
            sim.close();
        }
    }

    static void copyExample(Path to) throws IOException {
        copyExample("calculator", to);
    }

    static void copyExample(String name, Path to) throws IOException {
        try (var files = Files.list(Path.of(System.getProperty("polar.root"), "examples", name))) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    private static PolarProcess.Finished polar(String... arguments) throws IOException, InterruptedException {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--rollout-url", url));
        return PolarProcess.run(folder, Map.of(), all.toArray(String[]::new));
    }

    private static void assertTracesAreProved(JsonNode task) {
        for (var result : task.path("results")) {
            for (var trace : result.path("trajectory").path("traces")) {
                assertThat(trace.path("loss_mask")).anyMatch(mask -> mask.asInt() == 1);
                assertThat(SimulatedLogprobs.wrongPositions(trace)).isEmpty();
            }
        }
    }

    @Test
    void the_calculator_task_ends_with_rewards_of_both_kinds_and_one_proved_trace_per_session() throws Exception {
        var done = polar("submit", "task.yaml", "--poll-interval", "0.2", "--json");

        assertThat(done.status()).as(done.err()).isZero();
        var task = done.json();
        assertThat(task.path("status").asText()).isEqualTo("completed");
        assertThat(task.path("results")).hasSize(4);
        assertThat(task.path("results"))
                .extracting(result -> ResultTable.reward(result).orElseThrow())
                .containsOnly(0.0, 1.0);
        assertThat(task.path("results"))
                .allSatisfy(result ->
                        assertThat(result.path("trajectory").path("traces")).hasSize(1));
        assertTracesAreProved(task);
        try (var kept = Files.list(folder.resolve(".polar/results/task_calculator"))) {
            assertThat(kept).hasSize(4);
        }
    }

    @Test
    void a_served_task_is_exported_for_readers_of_others_and_shown_in_the_terminal() throws Exception {
        var task = Files.readString(folder.resolve("task.yaml")).replaceAll("num_samples: [0-9]+", "num_samples: 2");
        Files.writeString(folder.resolve("exported.yaml"), task);
        var results = polar("submit", "exported.yaml", "--task-id", "exported", "--poll-interval", "0.2", "--json")
                .json()
                .path("results");
        assertThat(results).hasSize(2);

        var session = results.path(0).path("session_id").asText();
        assertThat(polar("trace", "exported").out()).contains(session).contains("trace 0  main");
        var tokens = polar("trace", "exported", session, "--tokens");
        assertThat(tokens.out()).as(tokens.err()).contains("I will look at the file first.");

        var exports = Files.createDirectory(folder.resolve("exports"));
        for (var format : ExportFormat.values()) {
            for (var type : FileType.values()) {
                export(format, type, exports.resolve(format + "." + type));
            }
        }
        var found = Readers.read("pyarrow", exports).path("tokens.parquet");
        var traces = results.findValues("loss_mask");
        assertThat(found.path("rows").asInt()).isEqualTo(traces.size());
        assertThat(found.path("sampled").asInt())
                .isEqualTo(traces.stream()
                        .flatMapToInt(mask -> IntStream.of(Json.MAPPER.convertValue(mask, int[].class)))
                        .sum());
    }

    private static void export(ExportFormat format, FileType type, Path file) throws Exception {
        String[] arguments = {
            "export", "exported", "--format", format.toString(), "--to", type.toString(), "-o", file.toString()
        };
        // Once out of the distribution, whose libraries have to be enough.
        if (format == ExportFormat.TOKENS && type == FileType.PARQUET) {
            var exported = polar(arguments);
            assertThat(exported.status()).as(exported.err()).isZero();
        } else {
            var here = new ArrayList<>(List.of(arguments));
            here.addAll(List.of("--rollout-url", url));
            assertThat(Polar.run(here.toArray(String[]::new))).isZero();
        }
    }

    @Test
    void a_task_can_be_left_alone_looked_at_and_cancelled() throws Exception {
        Files.writeString(folder.resolve("slow.yaml"), """
                task_id: slow
                instruction: wait
                runtime: {backend: local}
                agent: {harness: shell, custom_shell: {command: sleep 300}}
                """);
        assertThat(polar("submit", "slow.yaml", "--detach").status()).isZero();
        assertThat(polar("status", "slow", "--json").json().path("status").asText())
                .isEqualTo("running");
        assertThat(polar("cancel", "slow", "--json").json().path("status").asText())
                .isIn("cancelling", "cancelled");
        var overview = polar("status");
        assertThat(overview.status()).isZero();
        assertThat(overview.out()).contains("node local").contains("task slow");
    }

    @Test
    void a_session_that_fails_is_told_with_exit_status_1() throws Exception {
        Files.writeString(folder.resolve("failing.yaml"), """
                task_id: failing
                instruction: fail
                runtime: {backend: local}
                agent: {harness: shell, custom_shell: {command: 'echo "no such module" >&2; exit 3'}}
                """);
        var done = polar("submit", "failing.yaml", "--poll-interval", "0.2");
        assertThat(done.status()).isEqualTo(1);
        assertThat(done.out()).contains("ERROR", "exited with code 3", "agent.stderr.log", "  | no such module");
    }

    @Test
    void the_readmes_trainer_gets_its_traces() throws Exception {
        Needed.program("python3");
        var script = Readme.block("python").replace("http://127.0.0.1:8080", url);
        var process = new ProcessBuilder("python3", "-c", script)
                .directory(Path.of(System.getProperty("polar.root")).toFile())
                .redirectErrorStream(true)
                .start();
        var printed = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(printed).isZero();
        assertThat(printed.lines()).hasSize(2).allMatch(line -> line.matches("\\d+ \\d+ \\d+ \\[-.*] 1\\.0"));
    }

    @Test
    void the_readmes_plugin_scores_a_session_of_the_running_server() throws Exception {
        Files.createDirectories(folder.resolve("plugins"));
        Files.writeString(folder.resolve("CommandSucceeds.java"), Readme.block("java"));
        var lib = Path.of(System.getProperty("polar.root"), "polar-cli/target/polar/lib");
        var build = new ProcessBuilder(
                        "bash", "-ec", Readme.block("bash").replace("polar-cli/target/polar/lib", lib.toString()))
                .directory(folder.toFile())
                .redirectErrorStream(true);
        build.environment().compute("PATH", (_, path) -> Path.of(System.getProperty("java.home"), "bin") + ":" + path);
        var building = build.start();
        var said = new String(building.getInputStream().readAllBytes());
        assertThat(building.waitFor()).as(said).isZero();

        var listed = PolarProcess.run(folder, Map.of(), "plugins", "-c", "topology.yaml");
        assertThat(listed.status()).as(listed.out()).isZero();
        assertThat(listed.out()).contains("command-succeeds  1.0  loaded");
        Thread.sleep(
                TimeUnit.SECONDS.toMillis(6)); // the server looks every two seconds, and twice at a file that grows
        for (var command : List.of("true", "false")) {
            Files.writeString(folder.resolve("scored.yaml"), """
                    task_id: scored-%1$s
                    instruction: none
                    runtime: {backend: local, prepare: [{type: upload_file, source: agent.py, target: /polar/session/agent.py}]}
                    agent: {harness: shell, custom_shell: {command: 'python3 "$SESSION_DIR/agent.py" hello'}}
                    evaluator: {strategy: command_succeeds, config: {command: "%1$s"}}
                    """.formatted(command));
            var task = scored();
            assertThat(task.status()).as(task.out()).isZero();
            assertThat(ResultTable.reward(task.json().path("results").get(0)))
                    .hasValue(command.equals("true") ? 1.0 : 0.0);
        }
    }

    /** The server looks into the folder every two seconds: until then the evaluator is unknown. */
    private static PolarProcess.Finished scored() throws Exception {
        var until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        PolarProcess.Finished task;
        do {
            task = polar("submit", "scored.yaml", "--poll-interval", "0.2", "--json");
        } while (task.err().contains("unknown evaluator 'command_succeeds'") && System.nanoTime() < until);
        return task;
    }

    @Test
    void the_real_claude_code_edits_a_file_and_its_main_chain_is_one_trace() throws Exception {
        Needed.agents();
        var done = polar("submit", "task_claude_code.yaml", "--poll-interval", "0.5", "--json");
        assertThat(done.status()).as(done.out() + done.err()).isZero();
        var task = done.json();
        for (var result : task.path("results")) {
            var report = result.at("/trajectory/metadata/evaluation/report");
            assertThat(report.path("empty_generation").asBoolean(true)).isFalse();
            assertThat(report.path("parsed_tests")).hasSize(8);
            var chains = new ArrayList<JsonNode>();
            result.path("trajectory").path("traces").forEach(trace -> {
                if (trace.path("metadata").path("spans").size() > 1) {
                    chains.add(trace);
                }
            });
            assertThat(chains).as("traces of more than one turn").hasSize(1);
            assertThat(chains.getFirst().path("metadata").path("spans")).hasSize(4);
        }
        assertTracesAreProved(task);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            an unknown key            | task.yaml      | num_samples: 4          | num_sample: 4                | task.yaml:6: num_sample: unknown key 'num_sample', did you mean 'num_samples'?
            an unknown key inside     | task.yaml      | model_name: sim         | modle_name: sim              | agent.modle_name: unknown key 'modle_name', did you mean 'model_name'?
            a value out of range      | task.yaml      | num_samples: 4          | num_samples: 0               | task.yaml:6: num_samples: 0 must be at least 1
            a missing upload          | task.yaml      | source: agent.py        | source: agnet.py             | agnet.py' to upload
            a command with no shell   | task.yaml      | harness: shell          | harness: claude_code         | agent.custom_shell: goes with harness: shell
            a missing harness         | task_claude_code.yaml | harness: claude_code | harness: claude_coed     | agent.harness: unknown harness 'claude_coed', did you mean 'claude_code'?
            an unknown evaluator      | task.yaml      | strategy: test_on_output| strategy: test_on_input      | evaluator.strategy: unknown evaluator 'test_on_input'
            an unknown runtime        | task.yaml      | backend: local          | import_path: my.Runtime      | runtime.backend: unknown runtime backend 'my.Runtime'
            no YAML                   | task.yaml      | num_samples: 4          | num_samples: [4              | is not YAML
            """)
    void a_bad_task_is_one_line_and_exit_status_2(String name, String file, String from, String to, String expected)
            throws Exception {
        var text = Files.readString(folder.resolve(file));
        var changed = text.replace(from, to);
        assertThat(changed).isNotEqualTo(text);
        var bad = folder.resolve("bad");
        Files.createDirectories(bad);
        for (var needed : List.of("agent.py", "calculator.py", "test_calculator.py")) {
            Files.copy(folder.resolve(needed), bad.resolve(needed), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        }
        Files.writeString(bad.resolve(file), changed);

        var refused = polar("submit", "bad/" + file, "--task-id", "bad", "--poll-interval", "0.2");

        assertOneLine(refused, expected);
    }

    @Test
    void a_server_that_is_not_there_is_one_line() throws Exception {
        assertOneLine(
                PolarProcess.run(folder, Map.of(), "status", "--rollout-url", "http://127.0.0.1:1"),
                "no Polar server answers at http://127.0.0.1:1");
    }

    @Test
    void an_unknown_task_is_one_line() throws Exception {
        assertOneLine(polar("status", "nobody"), "task 'nobody': Task not found");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            a typo in the topology    | rollout:              | rolout:                   | topology.yaml:3: rolout: unknown key 'rolout', did you mean 'rollout'?
            a missing variable        | ${ENGINE:vllm}        | ${NO_SUCH_ENGINE}         | NO_SUCH_ENGINE is not set
            no inference server       | ${MODEL_URL:http://127.0.0.1:8000} | http://127.0.0.1:1 | its inference server does not answer at http://127.0.0.1:1
            another engine            | ${ENGINE:vllm}        | sglang                    | is an engine of kind vllm, and inference.engine says sglang: set inference.engine: vllm
            another model             | ${MODEL:sim}          | gpt-9                     | serves no 'gpt-9', which is the node's model_served, but sim
            a state that is in use    | save_dir: .polar/results | save_dir: .polar/x     | another Polar server runs in
            """)
    void a_server_that_cannot_start_is_one_line_and_exit_status_2(String name, String from, String to, String expected)
            throws Exception {
        var text = Files.readString(folder.resolve("topology.yaml"));
        var changed = text.replace(from, to);
        assertThat(changed).isNotEqualTo(text);
        // Beside the other, so that they would share its state.
        Files.writeString(folder.resolve("bad-topology.yaml"), changed);
        var environment = new HashMap<>(Map.of("POLAR_PORT", "0", "POLAR_GATEWAY_PORT", "0"));
        environment.put("MODEL_URL", sim.url());

        var refused =
                PolarProcess.run(folder, environment, "serve", "-c", "bad-topology.yaml", "--wait-for-engine", "0");

        assertOneLine(refused, expected);
    }

    @Test
    void a_host_that_is_open_without_a_token_names_both_remedies() throws Exception {
        var refused = PolarProcess.run(folder, Map.of("POLAR_ROLLOUT_HOST", "0.0.0.0"), "serve", "-c", "topology.yaml");
        assertOneLine(refused, "set POLAR_CONTROL_PLANE_TOKEN, or allow_open_control_plane: true");
    }

    @Test
    void a_taken_port_is_one_line() throws Exception {
        var port = url.substring(url.lastIndexOf(':') + 1);
        assertOneLine(
                PolarProcess.run(
                        folder,
                        Map.of("POLAR_PORT", port, "POLAR_DATA_DIR", "elsewhere", "MODEL_URL", sim.url()),
                        "serve",
                        "-c",
                        "topology.yaml"),
                "rollout.port: 127.0.0.1:" + port + " cannot be listened at");
    }

    private static void assertOneLine(PolarProcess.Finished refused, String expected) {
        assertThat(refused.status()).as(refused.out() + refused.err()).isEqualTo(2);
        var complaints =
                refused.err().lines().filter(line -> line.startsWith("polar: ")).toList();
        assertThat(complaints).as(refused.err()).singleElement().asString().contains(expected);
        assertThat(refused.err()).doesNotContain("\tat ");
    }
}
