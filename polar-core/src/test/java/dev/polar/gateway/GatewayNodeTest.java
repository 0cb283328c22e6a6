package dev.polar.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.gateway.SessionException.Kind;
import dev.polar.proxy.AgentSession;
import dev.polar.spi.BuilderSpec;
import dev.polar.spi.EvaluatorSpec;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.NodeStageMetrics;
import dev.polar.spi.PrepareAction;
import dev.polar.spi.SessionStatus;
import dev.polar.wire.BindingException;
import dev.polar.wire.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class GatewayNodeTest {
    private static final FinishRequest PLAIN = new FinishRequest(null, null, null);

    @TempDir
    Path temp;

    private TestNode node;

    @BeforeEach
    void start() throws IOException {
        node = new TestNode(temp);
    }

    @AfterEach
    void nothing_is_left() {
        node.close();
        assertThat(node.runtimes.live).isEmpty();
        assertThat(node.stages.metrics()).isEqualTo(NodeStageMetrics.IDLE);
    }

    @Test
    void f09_the_same_dispatch_twice_is_one_session_also_after_its_end_and_a_restart() throws IOException {
        node.node.dispatch(node.task("s1").dispatch());
        assertKnown(node);
        node.result("s1");
        assertKnown(node);

        restart();
        assertKnown(node);
        assertThat(node.steps.reached()).isEmpty();
    }

    private static void assertKnown(TestNode node) {
        var task = node.task("s1").dispatch();
        var refused = catchThrowableOfType(SessionException.class, () -> node.node.dispatch(task));
        assertThat(refused.kind()).isEqualTo(Kind.KNOWN);
    }

    @Test
    void what_ended_is_told_after_a_restart_with_its_result_and_its_completions() throws IOException {
        node.run(node.task("s1"));
        await().until(() -> node.node.unsent() == 0);

        restart();
        assertThat(node.node.known("s1").status()).isEqualTo(SessionStatus.COMPLETED);
        assertThat(withResult("s1").path("result").path("trajectory").path("traces"))
                .hasSize(1);
        var completions = completions("s1");
        assertThat(completions).hasSize(2);
        assertThat(completions
                        .get(1)
                        .path("response")
                        .path("choices")
                        .get(0)
                        .path("token_ids")
                        .toString())
                .isEqualTo("[5,9]");
        assertThat(node.received).isEmpty();
    }

    @Test
    void a_result_that_was_not_acknowledged_is_sent_after_a_restart() throws IOException {
        node.acknowledging = false;
        node.node.dispatch(node.task("s1").dispatch());
        node.awaitStatus("s1", SessionStatus.COMPLETED);

        restart();
        assertThat(node.result("s1").path("status").asText()).isEqualTo("COMPLETED");
        await().until(() -> node.node.unsent() == 0);
        assertThat(node.folder.session("s1").result()).exists();
    }

    @Test
    void a_session_that_ran_when_the_process_was_killed_is_reported_as_interrupted() throws IOException {
        // What a killed process leaves: the manifest and the runtime's folder, and no result.
        var folder = node.folder.session("s9");
        node.close();
        folder.create(SessionManifest.of(node.task("s9").dispatch(), 5));
        Files.createDirectories(folder.session().resolve("artifacts"));
        Files.writeString(folder.session().resolve("artifacts/half"), "x");

        node = new TestNode(temp);
        var result = node.result("s9");
        assertThat(result.path("status").asText()).isEqualTo("ERROR");
        assertThat(result.path("error").asText()).contains("interrupted", "n1");
        assertThat(result.path("trajectory").path("metadata").path("not_built").asText())
                .contains("interrupted");
        assertThat(result.path("metadata").path("group_id").asText()).isEqualTo("g");
        assertThat(folder.session()).doesNotExist();
        assertThat(folder.artifacts().resolve("half")).exists();
        assertThat(node.runtimes.journals).containsExactly("n1 double");
        await().until(() -> node.node.unsent() == 0);
        assertThat(node.deliveries).containsExactly("s9");
        assertThat(node.folder.session("s9").result()).exists();
    }

    @Test
    void a_node_that_stops_cancels_its_sessions_and_keeps_their_results() throws Exception {
        var running = node.steps.hangAt("run exec agent");
        node.node.dispatch(node.task("s1").dispatch());
        running.await();
        node.acknowledging = false;
        node.close();

        assertThat(node.runtimes.live).isEmpty();
        assertThat(node.node.known("s1").status()).isEqualTo(SessionStatus.ERROR);
        var refused = catchThrowableOfType(
                SessionException.class, () -> node.node.dispatch(node.task("s2").dispatch()));
        assertThat(refused.kind()).isEqualTo(Kind.STOPPING);

        node = new TestNode(temp);
        assertThat(node.result("s1").path("error").asText())
                .isEqualTo("session cancelled: gateway node 'n1' was stopped");
    }

    @Test
    void priority_decides_who_enters_init_first() throws Exception {
        node.close();
        node = new TestNode(temp.resolve("narrow"), new Stages(1, 1, 1, 0), List.of());
        var first = new CountDownLatch(1);
        node.steps.at("run exec agent", first::await);
        node.node.dispatch(node.task("blocker").dispatch());
        node.awaitStatus("blocker", SessionStatus.RUNNING);
        for (var id : List.of("low", "high", "middle")) {
            node.node.dispatch(node.task(id)
                    .priority(Map.of("low", 0, "high", 100, "middle", 50).get(id))
                    .dispatch());
        }
        await().until(() -> node.node.metrics().initQueueDepth() == 3);
        first.countDown();
        for (var id : List.of("low", "high", "middle")) {
            node.result(id);
        }

        assertThat(node.changes.stream().filter(change -> change.endsWith("INITIALIZING")))
                .containsExactly(
                        "blocker INITIALIZING", "high INITIALIZING", "middle INITIALIZING", "low INITIALIZING");
    }

    @Test
    void f08_a_result_that_the_disk_refuses_ends_as_an_error_that_is_delivered_all_the_same() throws IOException {
        // Root can write anywhere, but nobody can write a file where a folder stands.
        Files.createDirectories(
                node.folder.spool().resolve("s1.json" + DurableFile.PARTIAL).resolve("in the way"));

        var result = node.run(node.task("s1"));
        assertThat(result.path("status").asText()).isEqualTo("ERROR");
        assertThat(result.path("error").asText()).startsWith("the session's result could not be written");
        assertThat(result.path("trajectory").path("traces")).isEmpty();
        assertThat(node.run(node.task("s2")).path("status").asText()).isEqualTo("COMPLETED");
    }

    @Test
    void a_bare_session_is_opened_by_its_id_recorded_finished_and_scored() throws IOException {
        var session = node.node.open("b1", "outside");
        record("b1", new int[] {1, 2}, new int[] {3, 9});
        record("b1", new int[] {1, 2, 3, 9, 4}, new int[] {5, 9});
        assertThat(session.completions()).isEqualTo(2);

        var result = node.node.finish(
                "b1",
                new FinishRequest(
                        new BuilderSpec("prefix_merging", null),
                        new EvaluatorSpec("session_completed", null, null, null),
                        Map.of("group_id", "g")));

        assertThat(result.status()).isEqualTo(SessionStatus.COMPLETED);
        assertThat(result.taskId()).isEqualTo("outside");
        assertThat(result.trajectory().traces()).hasSize(1);
        assertThat(result.trajectory().traces().getFirst().reward()).isEqualTo(1.0);
        assertThat(result.metadata()).containsEntry("group_id", "g").containsKey("timing_detail");
        assertThat(node.directory.byKey("b1")).isEmpty();
        assertThat(withResult("b1").path("result").path("session_id").asText()).isEqualTo("b1");
        assertThat(completions("b1")).hasSize(2);
        assertThat(node.received).isEmpty();
        var again = catchThrowableOfType(SessionException.class, () -> node.node.finish("b1", PLAIN));
        assertThat(again.kind()).isEqualTo(Kind.UNFIT);
    }

    @Test
    void a_bare_session_goes_on_after_a_restart() throws IOException {
        node.node.open("b1", null);
        record("b1", new int[] {1, 2}, new int[] {3, 9});

        restart();
        assertThat(node.node.known("b1").status()).isEqualTo(SessionStatus.RUNNING);
        record("b1", new int[] {1, 2, 3, 9, 4}, new int[] {5, 9});
        var result = node.node.finish("b1", new FinishRequest(new BuilderSpec("prefix_merging", null), null, null));

        assertThat(result.trajectory().traces()).hasSize(1);
        assertThat(result.trajectory().traces().getFirst().responseIds()).containsExactly(3, 9, 4, 5, 9);
    }

    @Test
    void a_finish_that_asks_for_what_is_not_there_leaves_the_session_open() {
        node.node.open("b1", null);
        record("b1", new int[] {1}, new int[] {9});

        assertThatThrownBy(
                        () -> node.node.finish("b1", new FinishRequest(new BuilderSpec("nothing", null), null, null)))
                .isInstanceOf(ExtensionException.class)
                .hasMessageContaining("'nothing'");
        assertThatThrownBy(() -> node.node.finish(
                        "b1", new FinishRequest(new BuilderSpec("prefix_merging", Map.of("merg", "any")), null, null)))
                .isInstanceOf(BindingException.class)
                .hasMessageContaining("builder.config.merg");
        assertThat(node.node.finish("b1", PLAIN).status()).isEqualTo(SessionStatus.COMPLETED);
    }

    @Test
    void an_evaluator_that_needs_a_runtime_says_so_for_a_bare_session() {
        node.node.open("b1", null);
        record("b1", new int[] {1}, new int[] {9});
        var result =
                node.node.finish("b1", new FinishRequest(null, new EvaluatorSpec("double", null, null, null), null));

        assertThat(result.status()).isEqualTo(SessionStatus.ERROR);
        assertThat(result.error()).contains("a bare session has no runtime");
        assertThat(result.trajectory().traces()).hasSize(1);
    }

    @Test
    void a_deleted_bare_session_is_gone_with_its_record() {
        node.node.open("b1", null);
        record("b1", new int[] {1}, new int[] {9});

        assertThat(node.node.delete("b1")).isEqualTo(1);
        assertThat(node.node.find("b1")).isEmpty();
        assertThat(node.folder.session("b1").root()).doesNotExist();
        var unknown = catchThrowableOfType(SessionException.class, () -> node.node.delete("b1"));
        assertThat(unknown.kind()).isEqualTo(Kind.UNKNOWN);
        node.node.open("b1", null);
    }

    @Test
    void strangers_have_a_session_for_each_key_until_it_is_finished() {
        var first = node.node.stranger("their-key");
        assertThat(node.node.stranger("their-key")).isSameAs(first);
        assertThat(node.directory.byKey("their-key").map(AgentSession::sessionId))
                .contains(first.sessionId());
        assertThat(node.node.stranger(null)).isNotSameAs(node.node.stranger(null));

        node.node.delete(first.sessionId());
        assertThat(node.directory.byKey("their-key")).isEmpty();
        assertThat(node.node.stranger("their-key").sessionId()).isNotEqualTo(first.sessionId());
    }

    @Test
    void sessions_are_forgotten_by_age_once_their_results_are_acknowledged() throws IOException {
        node.run(node.task("s1"));
        await().until(() -> node.node.unsent() == 0);
        node.acknowledging = false;
        node.node.dispatch(node.task("s2").dispatch());
        node.awaitStatus("s2", SessionStatus.COMPLETED);

        node.node.retain(Duration.ofDays(1));
        assertThat(node.node.find("s1")).isPresent();
        node.node.retain(Duration.ofSeconds(-5));

        assertThat(node.node.find("s1")).isEmpty();
        assertThat(node.folder.session("s1").root()).doesNotExist();
        assertThat(node.node.find("s2")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void f02_whatever_fails_or_is_cancelled_each_session_has_one_result_and_every_slot_is_free(long seed)
            throws InterruptedException {
        var random = new Random(seed);
        var steps = List.of(
                "start run",
                "run exec prepare",
                "baseline",
                "start eval",
                "eval exec prepare",
                "setup",
                "commands",
                "run exec agent",
                "collect",
                "evaluate",
                "eval exec score",
                "none");
        var hooks = Collections.synchronizedList(new ArrayList<Integer>());
        for (var step : steps) {
            node.steps.at(step, () -> {
                int what;
                synchronized (random) {
                    what = random.nextInt(40);
                }
                hooks.add(what);
                switch (what) {
                    case 0 -> throw new ExtensionException(Category.INFRASTRUCTURE, "failed in " + step);
                    case 1 -> throw new IllegalStateException("broke in " + step);
                    case 2 -> new CountDownLatch(1).await();
                    default -> Thread.yield();
                }
            });
        }
        int count = 60;
        for (int i = 0; i < count; i++) {
            node.node.dispatch(node.task("s" + i)
                    .timeout(0.7)
                    .priority(i % 3)
                    .prepare(new PrepareAction.Exec("prepare", null, null, 1, 0.0))
                    .evaluator(new EvaluatorSpec("double", null, null, i % 2 == 0))
                    .dispatch());
            if (i % 5 == 0) {
                node.node.delete("s" + (i / 2));
            }
        }
        for (int i = 0; i < count; i++) {
            var result = node.result("s" + i);
            var status = SessionStatus.valueOf(result.path("status").asText());
            assertThat(status.terminal()).isTrue();
            assertThat(result.path("error").isNull()).isEqualTo(status == SessionStatus.COMPLETED);
        }
        await().until(() -> node.node.unsent() == 0);
        assertThat(node.received).hasSize(count);
        assertThat(node.runtimes.live).isEmpty();
        assertThat(node.stages.metrics()).isEqualTo(NodeStageMetrics.IDLE);
        assertThat(node.node.active()).isEmpty();
    }

    private void record(String bareSession, int[] prompt, int[] sampled) {
        node.call(Map.of("OPENAI_API_KEY", bareSession), prompt, sampled, true);
    }

    private JsonNode withResult(String id) throws IOException {
        var out = new ByteArrayOutputStream();
        SessionJson.withResult(
                node.node.known(id).view("n1"), node.node.result(id).orElseThrow(), out);
        return Json.MAPPER.readTree(out.toByteArray());
    }

    private JsonNode completions(String id) throws IOException {
        var out = new ByteArrayOutputStream();
        node.node.writeCompletions(id, out);
        return Json.MAPPER.readTree(out.toByteArray()).path("completions");
    }

    private void restart() throws IOException {
        node.close();
        node = new TestNode(temp);
    }
}
