package dev.polar.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.spi.AgentOutcome;
import dev.polar.spi.AgentSpec;
import dev.polar.spi.BuilderSpec;
import dev.polar.spi.EvaluatorSpec;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.NodeStageMetrics;
import dev.polar.spi.PrepareAction;
import dev.polar.spi.RuntimeSpec;
import dev.polar.spi.SessionStatus;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class AgentRunTest {
    @TempDir
    Path temp;

    private TestNode node;

    @BeforeEach
    void start() throws IOException {
        node = new TestNode(temp.resolve("node"));
    }

    @AfterEach
    void nothing_is_left() {
        node.close();
        assertThat(node.runtimes.live).isEmpty();
        assertThat(node.stages.metrics()).isEqualTo(NodeStageMetrics.IDLE);
    }

    @Test
    void a_session_walks_through_its_stages_in_order_and_is_scored() {
        var result = node.run(node.task("s1").prepare(exec("prepare", 1)));

        assertThat(node.steps.reached())
                .containsExactly(
                        "start run",
                        "run exec prepare",
                        "baseline",
                        "setup",
                        "commands",
                        "run exec agent",
                        "end processes run",
                        "collect",
                        "evaluate",
                        "run exec score",
                        "stop run");
        assertThat(node.changes)
                .containsExactly(
                        "s1 INITIALIZING",
                        "s1 READY",
                        "s1 RUNNING",
                        "s1 POST_RUN",
                        "s1 BUILDING",
                        "s1 EVALUATING",
                        "s1 COMPLETED");
        assertThat(result.path("status").asText()).isEqualTo("COMPLETED");
        assertThat(result.path("error").isNull()).isTrue();
        var traces = result.path("trajectory").path("traces");
        assertThat(traces).hasSize(1);
        assertThat(traces.get(0).path("reward").asDouble()).isEqualTo(0.5);
        assertThat(traces.get(0).path("response_ids").toString()).isEqualTo("[3,9,4,5,9]");
        assertThat(traces.get(0).path("metadata").path("stated").asBoolean()).isTrue();
        var metadata = result.path("trajectory").path("metadata");
        assertThat(metadata.path("evaluation").path("baseline").asText()).isEqualTo("as it was");
        assertThat(metadata.path("agent_result").path("status").asText()).isEqualTo("judged");
        assertThat(result.path("timing").properties()).hasSize(4);
        assertThat(result.path("metadata").path("attempt").asInt()).isEqualTo(1);
        assertThat(result.path("metadata").path("submitted_at").asDouble()).isEqualTo(1700000000.25);
        assertThat(result.path("metadata").path("timing_detail").path("e2e_ms").asDouble())
                .isPositive();
    }

    @Test
    void processes_find_the_public_environment_with_the_markers_last_word() {
        var env = new LinkedHashMap<String, String>();
        node.runtimes.on("agent", found -> {
            env.putAll(found);
            node.call(found, new int[] {1}, new int[] {9}, true);
            return DoubleRuntimes.exit(0);
        });
        var prepared = new LinkedHashMap<String, String>();
        node.runtimes.on("prepare", found -> {
            prepared.putAll(found);
            return DoubleRuntimes.exit(0);
        });
        var spec = TestNode.Task.runtime(
                List.of(exec("prepare", 1)),
                Map.of("FROM", "runtime", "BOTH", "runtime", "POLAR_ALLOW_INTERNET", "no"),
                null);
        node.run(node.task("s1").runtime(spec));

        assertThat(env)
                .containsEntry("ANTHROPIC_BASE_URL", "http://127.0.0.1:8081")
                .containsEntry("OPENAI_BASE_URL", "http://127.0.0.1:8081/v1")
                .containsEntry("GOOGLE_API_URL", "http://127.0.0.1:8081")
                .containsEntry("SESSION_ID", "s1")
                .containsEntry("TASK_ID", "t1")
                .containsEntry("SESSION_DIR", "/polar/session")
                .containsEntry("ARTIFACTS_DIR", "/polar/session/artifacts")
                .containsEntry("LOGS_DIR", "/polar/session/logs")
                .containsKey("AGENT_LOG_DIR")
                .containsEntry("FROM", "agent")
                .containsEntry("BOTH", "agent")
                .containsEntry("POLAR_ALLOW_INTERNET", "true");
        assertThat(env.get("ANTHROPIC_API_KEY"))
                .isEqualTo(env.get("OPENAI_API_KEY"))
                .isEqualTo(env.get("GOOGLE_API_KEY"))
                .isNotEqualTo("s1")
                .hasSizeGreaterThan(40);
        assertThat(prepared).containsEntry("FROM", "runtime").containsEntry("POLAR_ALLOW_INTERNET", "true");
        assertThat(node.harness.seen.env()).containsAllEntriesOf(env);
    }

    @Test
    void a_runtime_that_reaches_the_gateway_elsewhere_is_told_so() {
        node.runtimes.reached = URI.create("http://10.0.2.2:8081");
        var env = new LinkedHashMap<String, String>();
        node.runtimes.on("prepare", found -> {
            env.putAll(found);
            return DoubleRuntimes.exit(0);
        });
        node.run(node.task("s1").prepare(exec("prepare", 1)));

        assertThat(env).containsEntry("OPENAI_BASE_URL", "http://10.0.2.2:8081/v1");
        assertThat(node.harness.seen.endpoint().openAiBaseUrl()).isEqualTo("http://10.0.2.2:8081/v1");
    }

    @Test
    void a_failing_prepare_action_is_retried_and_then_ends_the_session() {
        node.runtimes.on("broken", env -> DoubleRuntimes.exit(7));
        var result = node.run(node.task("s1").prepare(exec("fine", 1), exec("broken", 3)));

        assertError(result, "prepare action 1 failed with exit code 7");
        assertThat(node.steps.reached())
                .containsExactly(
                        "start run",
                        "run exec fine",
                        "run exec broken",
                        "run exec broken",
                        "run exec broken",
                        "stop run");
        var metadata = result.path("trajectory").path("metadata");
        assertThat(metadata.path("record_count").asInt()).isZero();
        assertThat(metadata.path("trace_count").asInt()).isZero();
        assertThat(metadata.has("reconstruction_stats")).isTrue();
    }

    @Test
    void uploads_come_from_the_roots_alone_also_through_links() throws IOException {
        node.close();
        var allowed = Files.createDirectories(temp.resolve("allowed"));
        var secret = Files.writeString(temp.resolve("secret"), "x");
        Files.writeString(allowed.resolve("fine"), "x");
        Files.createSymbolicLink(allowed.resolve("link"), secret);
        node = new TestNode(temp.resolve("other"), new Stages(2, 2, 2, 2), List.of(allowed));

        var fine = node.run(node.task("s1").prepare(new PrepareAction.UploadFile(allowed + "/fine", "/x/fine")));
        assertThat(fine.path("status").asText()).isEqualTo("COMPLETED");
        for (var outside : List.of(secret.toString(), allowed + "/link", allowed + "/../secret")) {
            var id = "s" + outside.hashCode();
            var result = node.run(node.task(id).prepare(new PrepareAction.UploadFile(outside, "/x/y")));
            assertThat(result.path("error").asText())
                    .startsWith("prepare action 0 failed: " + outside + " is in none of the folders");
        }
        var missing = node.run(node.task("s2").prepare(new PrepareAction.UploadDir(allowed + "/none", "/x")));
        assertThat(missing.path("error").asText()).contains("there is no folder " + allowed + "/none on this node");
    }

    @Test
    void settings_with_an_unknown_key_name_their_path_and_the_known_keys() {
        var result = node.run(node.task("s1").agentSpec(TestNode.Task.agent(Map.of("verson", "1"))));

        assertThat(result.path("error").asText()).contains("agent.settings.verson", "'version'");
        assertThat(node.steps.reached()).isEmpty();
    }

    @Test
    void the_servers_own_settings_are_known_with_every_harness() {
        var settings = Map.<String, Object>of("sampling_seed", 7, "model_kwargs", Map.of("k", 1), "version", "2");
        var sampling = new CountDownLatch(1);
        node.runtimes.on("agent", env -> {
            var session = node.directory.byKey(env.get("OPENAI_API_KEY")).orElseThrow();
            if (session.sampling().seed() == 7 && session.modelKwargs().equals(Map.of("k", 1))) {
                sampling.countDown();
            }
            node.call(env, new int[] {1}, new int[] {9}, true);
            return DoubleRuntimes.exit(0);
        });
        var result = node.run(node.task("s1").agentSpec(TestNode.Task.agent(settings)));

        assertThat(result.path("status").asText()).isEqualTo("COMPLETED");
        assertThat(sampling.getCount()).isZero();
        assertThat(node.harness.seen.settings()).isEqualTo(new DoubleHarness.Settings("2"));
    }

    @Test
    void unknown_names_are_errors_that_name_the_known_ones() {
        var agent = new AgentSpec("dubble", null, null, null, null, null, null, null, null);
        assertThat(node.run(node.task("s1").agentSpec(agent)).path("error").asText())
                .contains("'dubble'", "double");
        assertThat(node.run(node.task("s2").builder(new BuilderSpec("prefix", null)))
                        .path("error")
                        .asText())
                .contains("'prefix'", "prefix_merging", "per_request");
        assertThat(node.run(node.task("s3").evaluator(new EvaluatorSpec("x", null, null, null)))
                        .path("error")
                        .asText())
                .contains("'x'", "session_completed");
        assertThat(node.run(node.task("s4").runtime(null)).path("error").asText())
                .contains("runtime", "default_runtime");
    }

    @Test
    void a_limit_that_the_runtime_cannot_enforce_is_an_error_and_a_default_is_none() {
        var limited = new RuntimeSpec(
                "double", "i", null, null, null, "host", null, null, 2.0, null, null, 0, true, null, null, null);
        assertThat(node.run(node.task("s1").runtime(limited)).path("error").asText())
                .contains("runtime.cpus: 2.0", "'double'");
        var offline = new RuntimeSpec(
                "double", "i", null, null, null, null, null, null, null, null, null, null, false, null, null, null);
        assertThat(node.run(node.task("s2").runtime(offline)).path("error").asText())
                .contains("allow_internet: false");
        var defaults = new RuntimeSpec(
                "double", "i", null, null, null, "host", null, null, null, 64, null, 0, true, null, null, null);
        assertThat(node.run(node.task("s3").runtime(defaults)).path("status").asText())
                .isEqualTo("COMPLETED");
    }

    @Test
    void a_failing_agent_is_an_error_that_is_still_built_and_scored() {
        node.runtimes.on("agent", env -> {
            node.call(env, new int[] {1}, new int[] {9}, true);
            return DoubleRuntimes.exit(3);
        });
        var result = node.run(node.task("s1"));

        assertError(result, "the agent exited with code 3");
        assertThat(node.steps.reached()).contains("collect", "evaluate");
        assertThat(node.evaluator.seen.sessionStatus()).isEqualTo(SessionStatus.ERROR);
        var trace = result.path("trajectory").path("traces").get(0);
        assertThat(trace.path("metadata").path("training_filter").path("reason").asText())
                .isEqualTo("session_error");
        assertThat(trace.path("reward").asDouble()).isZero();
    }

    @Test
    void f12_an_agent_killed_for_memory_says_so_with_the_limit() {
        node.runtimes.on("agent", env -> new ExecResult(137, false, true, "", "", 0, 0));
        node.harness.outcome = new AgentOutcome(true, null, Map.of(), Map.of());
        var result = node.run(node.task("s1").runtime(TestNode.Task.runtime(List.of(), null, 512)));

        assertError(result, "the agent was killed: out of memory (runtime.memory_mb: 512 MiB)");
    }

    @Test
    void f13_an_agent_over_its_own_time_keeps_its_completed_calls_and_trains_without_reward() {
        node.runtimes.on("agent", env -> {
            node.call(env, new int[] {1}, new int[] {3, 9}, true);
            new CountDownLatch(1).await();
            return null;
        });
        var result = node.run(node.task("s1").metadata(Map.of("agent_timeout", 0.2)));

        assertThat(result.path("status").asText()).isEqualTo("TIMEOUT");
        assertThat(result.path("error").asText()).contains("agent_timeout: 0.2 s");
        var agent = result.path("trajectory").path("metadata").path("agent_result");
        assertThat(agent.path("status").asText()).isEqualTo("timeout");
        assertThat(agent.path("timeout_source").asText()).isEqualTo("agent");
        assertThat(agent.path("timeout_stage").asText()).isEqualTo("exec");
        var trace = result.path("trajectory").path("traces").get(0);
        assertThat(trace.path("loss_mask").toString()).isEqualTo("[1,1]");
        assertThat(trace.path("metadata").path("training_filter").path("reason").asText())
                .isEqualTo("agent_timeout");
        assertThat(node.steps.reached()).contains("evaluate").doesNotContain("collect");
    }

    @Test
    void a_session_over_its_budget_is_built_and_masked_but_not_scored() {
        node.runtimes.on("agent", env -> {
            node.call(env, new int[] {1}, new int[] {3, 9}, true);
            new CountDownLatch(1).await();
            return null;
        });
        var result = node.run(node.task("s1").timeout(0.3));

        assertThat(result.path("status").asText()).isEqualTo("TIMEOUT");
        assertThat(result.path("error").asText()).contains("timeout_seconds: 0.3 s");
        assertThat(result.path("trajectory")
                        .path("metadata")
                        .path("agent_result")
                        .path("timeout_source")
                        .asText())
                .isEqualTo("session");
        var trace = result.path("trajectory").path("traces").get(0);
        assertThat(trace.path("loss_mask").toString()).isEqualTo("[0,0]");
        assertThat(node.steps.reached()).doesNotContain("evaluate");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "start run",
                "run exec prepare",
                "baseline",
                "setup",
                "run exec agent",
                "collect",
                "evaluate",
                "run exec score"
            })
    void the_budget_ends_every_step(String step) {
        node.steps.hangAt(step);
        var result = node.run(node.task("s1").prepare(exec("prepare", 1)).timeout(0.3));

        assertThat(result.path("status").asText()).isEqualTo("TIMEOUT");
        assertThat(result.path("error").asText()).contains("timeout_seconds: 0.3 s");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "start run",
                "run exec prepare",
                "baseline",
                "setup",
                "run exec agent",
                "collect",
                "evaluate",
                "run exec score"
            })
    void a_cancel_ends_every_step_and_nothing_is_built(String step) throws InterruptedException {
        var reached = node.steps.hangAt(step);
        node.node.dispatch(node.task("s1").prepare(exec("prepare", 1)).dispatch());
        reached.await();

        node.node.delete("s1");
        var result = node.result("s1");

        assertError(result, "session cancelled");
        assertThat(result.path("trajectory").path("traces")).isEmpty();
        assertThat(result.path("trajectory").path("metadata").path("not_built").asText())
                .isEqualTo("session cancelled");
        assertThat(result.path("trajectory").path("metadata").has("excluded_completions"))
                .isFalse();
    }

    @Test
    void a_cancel_ends_sessions_that_wait_for_a_slot() throws IOException, InterruptedException {
        node.close();
        node = new TestNode(temp.resolve("narrow"), new Stages(1, 1, 1, 0), List.of());
        var reached = node.steps.hangAt("run exec agent");
        node.node.dispatch(node.task("running").dispatch());
        reached.await();
        node.node.dispatch(node.task("queued").dispatch());

        node.node.delete("queued");
        assertError(node.result("queued"), "session cancelled");
        assertThat(node.node.metrics().runInflight()).isEqualTo(1);
        node.node.delete("running");
        assertError(node.result("running"), "session cancelled");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "start run",
                "run exec prepare",
                "baseline",
                "setup",
                "commands",
                "run exec agent",
                "collect",
                "evaluate",
                "run exec score"
            })
    void f02_a_failure_at_each_step_is_an_error_that_says_why_and_leaves_nothing(String step) {
        node.steps.at(step, () -> {
            throw new ExtensionException(Category.INFRASTRUCTURE, "the disk is full");
        });
        var result = node.run(node.task("s1").prepare(exec("prepare", 1)));

        assertThat(result.path("status").asText()).isEqualTo("ERROR");
        assertThat(result.path("error").asText()).contains("the disk is full");
    }

    @ParameterizedTest
    @ValueSource(strings = {"start run", "baseline", "setup", "run exec agent", "collect", "evaluate"})
    void a_plugin_that_breaks_does_not_break_the_node(String step) {
        node.steps.at(step, () -> {
            throw new NoClassDefFoundError("com/example/Missing");
        });
        var result = node.run(node.task("s1"));

        assertThat(result.path("status").asText()).isEqualTo("ERROR");
        assertThat(result.path("error").asText()).contains("com/example/Missing");
    }

    @Test
    void a_runtime_whose_stop_fails_does_not_keep_the_result_back() {
        node.steps.at("stop run", () -> {
            node.runtimes.live.clear();
            throw new IllegalStateException("the engine is gone");
        });

        assertThat(node.run(node.task("s1")).path("status").asText()).isEqualTo("COMPLETED");
    }

    @Test
    void a_session_without_completions_is_an_error() {
        node.runtimes.on("agent", env -> DoubleRuntimes.exit(0));
        var result = node.run(node.task("s1"));

        assertError(result, "no completions");
        assertThat(result.path("trajectory").path("traces")).isEmpty();
    }

    @Test
    void trace_rewards_that_do_not_fit_are_an_error() {
        var result = node.run(
                node.task("s1").evaluator(new EvaluatorSpec("double", Map.of("trace_rewards", 2), null, null)));

        assertThat(result.path("status").asText()).isEqualTo("ERROR");
        assertThat(result.path("error").asText()).contains("2");
    }

    @Test
    void e20_a_call_in_flight_at_the_runs_end_is_aborted_before_the_build_and_nothing_is_appended_after()
            throws InterruptedException {
        var begun = new CountDownLatch(1);
        var aborted = new CountDownLatch(1);
        var recorder = new dev.polar.capture.SessionRecorder[1];
        node.runtimes.on("agent", env -> {
            node.call(env, new int[] {1}, new int[] {3, 9}, true);
            var session = node.directory.byKey(env.get("OPENAI_API_KEY")).orElseThrow();
            recorder[0] = session.recorder();
            Thread.ofVirtual().start(() -> {
                try (var call = session.begin(aborted::countDown)) {
                    begun.countDown();
                    aborted.await();
                    // The proxy's part: what had come is recorded, undelivered; a call without any id is counted.
                    TestNode.record(session.recorder(), new int[] {1, 3, 9, 4}, new int[] {5}, false);
                    session.recorder().failedCall();
                } catch (InterruptedException impossible) {
                    throw new IllegalStateException(impossible);
                }
            });
            begun.await();
            return DoubleRuntimes.exit(0);
        });
        var result = node.run(node.task("s1"));

        assertThat(result.path("status").asText()).isEqualTo("COMPLETED");
        var metadata = result.path("trajectory").path("metadata");
        assertThat(metadata.path("record_count").asInt()).isEqualTo(2);
        assertThat(metadata.path("excluded_completions").get(0).path("reason").asText())
                .isEqualTo("undelivered");
        assertThat(metadata.path("reconstruction_stats").path("failed_calls").asInt())
                .isEqualTo(1);
        assertThatThrownBy(() -> TestNode.record(recorder[0], new int[] {1}, new int[] {9}, true))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_key_opens_calls_from_the_runs_start_to_its_end() {
        var key = new String[1];
        node.runtimes.on("prepare", env -> {
            key[0] = env.get("OPENAI_API_KEY");
            assertThat(node.directory.byKey(key[0])).isEmpty();
            return DoubleRuntimes.exit(0);
        });
        node.steps.at("collect", () -> assertThat(node.directory.byKey(key[0])).isEmpty());
        var result = node.run(node.task("s1").prepare(exec("prepare", 1)));

        assertThat(result.path("status").asText()).isEqualTo("COMPLETED");
        assertThat(result.toString()).doesNotContain(key[0]);
    }

    @Test
    void a_fresh_runtime_is_warmed_beside_the_run_without_the_key_and_is_what_the_evaluator_works_in()
            throws InterruptedException {
        var warm = new CountDownLatch(1);
        node.steps.at("eval exec prepare", warm::countDown);
        node.runtimes.on("agent", env -> {
            warm.await();
            node.call(env, new int[] {1}, new int[] {9}, true);
            return DoubleRuntimes.exit(0);
        });
        var result = node.run(
                node.task("s1").prepare(exec("prepare", 1)).evaluator(new EvaluatorSpec("double", null, null, true)));

        assertThat(result.path("status").asText()).isEqualTo("COMPLETED");
        assertThat(node.steps.reached())
                .contains("eval exec score", "stop eval")
                .doesNotContain("run exec score");
        var fresh = node.runtimes.requests.stream()
                .filter(request -> "eval".equals(request.purpose()))
                .findFirst()
                .orElseThrow();
        assertThat(fresh.env()).doesNotContainKey("OPENAI_API_KEY").containsKey("SESSION_DIR");
        assertThat(fresh.sessionDir()).doesNotExist();
    }

    @Test
    void a_cancel_also_ends_a_fresh_runtime_that_is_being_made() throws InterruptedException {
        var making = node.steps.hangAt("eval exec prepare");
        node.steps.hangAt("run exec agent");
        node.node.dispatch(node.task("s1")
                .prepare(exec("prepare", 1))
                .evaluator(new EvaluatorSpec("double", null, null, true))
                .dispatch());
        making.await();
        node.node.delete("s1");

        assertError(node.result("s1"), "session cancelled");
        assertThat(node.runtimes.live).isEmpty();
    }

    @Test
    void a_fresh_runtime_that_fails_fails_the_evaluation_with_its_reason() {
        node.steps.at("start eval", () -> {
            throw new ExtensionException(Category.INFRASTRUCTURE, "no image");
        });
        var result = node.run(node.task("s1").evaluator(new EvaluatorSpec("double", null, null, true)));

        assertError(result, "evaluator 'double': the evaluator's runtime: no image");
        assertThat(result.path("trajectory").path("traces")).hasSize(1);
    }

    @Test
    void what_the_agent_left_in_its_artifacts_is_kept_and_links_are_not_followed() throws IOException {
        var secret = Files.writeString(temp.resolve("secret"), "x");
        node.runtimes.on("agent", env -> {
            try {
                var dir = node.folder.session("s1").session().resolve("artifacts");
                Files.writeString(dir.resolve("done"), "yes");
                Files.createSymbolicLink(dir.resolve("link"), secret);
            } catch (IOException problem) {
                throw new IllegalStateException(problem);
            }
            node.call(env, new int[] {1}, new int[] {9}, true);
            return DoubleRuntimes.exit(0);
        });
        node.run(node.task("s1"));

        var folder = node.folder.session("s1");
        assertThat(folder.artifacts().resolve("done")).hasContent("yes");
        assertThat(Files.isSymbolicLink(folder.artifacts().resolve("link"))).isTrue();
        assertThat(secret).exists();
        assertThat(folder.session()).doesNotExist();
        await().untilAsserted(() -> assertThat(folder.result()).exists());
    }

    private static PrepareAction.Exec exec(String command, int attempts) {
        return new PrepareAction.Exec(command, null, null, attempts, 0.0);
    }

    private static void assertError(JsonNode result, String error) {
        assertThat(result.path("status").asText()).isEqualTo("ERROR");
        assertThat(result.path("error").asText()).isEqualTo(error);
        assertThat(result.path("trajectory").path("status").asText()).isEqualTo("ERROR");
        assertThat(result.path("trajectory").path("error").asText()).isEqualTo(error);
    }
}
