package dev.polar.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.rollout.SessionLedger.Verdict;
import dev.polar.server.ProblemException;
import dev.polar.spi.NodeStageMetrics;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.TaskState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RolloutServerTest {
    @TempDir
    Path folder;

    @Test
    void a_task_is_complete_when_each_sample_has_a_result_and_lists_them_in_sample_order() throws Exception {
        try (var rig = new RolloutRig(folder, "save_dir: results")) {
            var node = rig.gateway("n1");
            rig.submit("t", 3, "");
            rig.awaitDispatches(3);
            var bySample = node.dispatches.stream()
                    .sorted(java.util.Comparator.comparingInt(
                            dispatch -> -dispatch.get("sample").asInt()))
                    .map(dispatch -> dispatch.get("session_id").asText())
                    .toList();
            for (var session : bySample) {
                rig.deliver("t", session, SessionStatus.COMPLETED, null);
            }

            var status = rig.status("t");
            assertThat(status.get("status").asText()).isEqualTo("completed");
            assertThat(status.get("total_sessions").asInt()).isEqualTo(3);
            assertThat(status.get("completed_sessions").asInt()).isEqualTo(3);
            assertThat(texts(status.get("results"), "session_id")).containsExactlyElementsOf(bySample.reversed());
            assertThat(status.get("result_paths")).hasSize(3);
            var first = Path.of(status.get("result_paths").get(0).asText());
            assertThat(first).exists().isEqualTo(folder.resolve("results/task_t/ses_" + bySample.getLast() + ".json"));
        }
    }

    @Test
    void a_dispatch_carries_the_whole_task_with_the_samples_own_seed() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            var node = rig.gateway("n1");
            rig.submit(
                    "t",
                    2,
                    ", \"dispatch_priority\": 7, \"metadata\": {\"eval_sampling_seed_base\": 40, \"group_id\": \"g\"}");
            rig.awaitDispatches(2);

            var second = node.dispatches.stream()
                    .filter(dispatch -> dispatch.get("sample").asInt() == 1)
                    .findFirst()
                    .orElseThrow();
            assertThat(second.at("/agent/settings/sampling_seed").asInt()).isEqualTo(41);
            assertThat(second.at("/metadata/eval_sampling_seed").asInt()).isEqualTo(41);
            assertThat(second.at("/metadata/group_id").asText()).isEqualTo("g");
            assertThat(second.get("remaining_timeout_seconds").asDouble()).isEqualTo(60);
            assertThat(second.get("dispatch_priority").asInt()).isEqualTo(7);
            assertThat(second.get("session_id").asText()).startsWith("sk-polar-");
            assertThat(second.has("num_samples")).isFalse();
        }
    }

    @Test
    void a_higher_priority_is_given_to_nodes_first() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            rig.submit("low", 1, "");
            rig.submit("high", 1, ", \"dispatch_priority\": 100");
            var first = rig.server
                    .database()
                    .read(handle -> rig.server.stores().sessions().pending(handle, 2_000_000, 10));

            assertThat(first).extracting(SessionRow::taskId).containsExactly("high", "low");
        }
    }

    @Test
    void f09_the_same_submit_twice_is_refused_while_the_task_runs() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            rig.submit("t", 1, "");
            assertThatThrownBy(() -> rig.submit("t", 1, "")).isInstanceOfSatisfying(ProblemException.class, refused -> {
                assertThat(refused.status()).isEqualTo(409);
                assertThat(refused).hasMessageContaining("'t' is running");
            });
        }
    }

    @Test
    void f09_the_same_result_twice_counts_once() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            rig.gateway("n1");
            rig.submit("t", 2, "");
            var sessions = rig.awaitDispatches(2);

            assertThat(rig.deliver("t", sessions.get(0), SessionStatus.COMPLETED, null))
                    .isEqualTo(Verdict.ACCEPTED);
            assertThat(rig.deliver("t", sessions.get(0), SessionStatus.ERROR, "again"))
                    .isEqualTo(Verdict.ACCEPTED);
            assertThat(rig.status("t").get("completed_sessions").asInt()).isEqualTo(1);
            assertThat(rig.status("t").at("/results/0/status").asText()).isEqualTo("COMPLETED");
            assertThat(rig.status("t").get("status").asText()).isEqualTo("running");
        }
    }

    @Test
    void f09_a_dispatch_whose_answer_was_lost_is_one_session() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            var node = rig.gateway("n1");
            node.refusals.add(409);
            rig.submit("t", 1, "");
            await().until(() -> rig.rows("t").getFirst().place() == Place.PLACED);

            assertThat(rig.rows("t")).hasSize(1);
        }
    }

    @Test
    void a_node_that_is_busy_is_asked_again() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            var node = rig.gateway("n1");
            node.refusals.addAll(List.of(503, 429));
            rig.submit("t", 1, "");
            await().until(() -> {
                rig.sleep(5);
                rig.server.nodes().heartbeat("n1", NodeStageMetrics.IDLE);
                return rig.rows("t").getFirst().place() == Place.PLACED;
            });

            assertThat(rig.rows("t").getFirst().refusals()).isEqualTo(2);
            assertThat(rig.rows("t").getFirst().attempt()).isEqualTo(1);
        }
    }

    @Test
    void a_session_that_a_node_finds_wrong_ends_with_what_it_says() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            rig.gateway("n1").refusals.add(422);
            rig.submit("t", 1, "");
            rig.awaitState("t", TaskState.COMPLETED);

            assertThat(rig.status("t").at("/results/0/error").asText())
                    .contains("n1")
                    .contains("refused by the test");
        }
    }

    @Test
    void f08_a_result_that_cannot_be_written_ends_its_session_with_an_error() throws Exception {
        try (var rig = new RolloutRig(folder, "save_dir: results")) {
            rig.gateway("n1");
            Files.writeString(Files.createDirectories(folder.resolve("results")).resolve("task_t"), "in the way");
            rig.submit("t", 1, "");
            var session = rig.awaitDispatches(1).getFirst();

            assertThat(rig.deliver("t", session, SessionStatus.COMPLETED, null)).isEqualTo(Verdict.ACCEPTED);
            var status = rig.status("t");
            assertThat(status.get("status").asText()).isEqualTo("completed");
            assertThat(status.at("/results/0/status").asText()).isEqualTo("ERROR");
            assertThat(status.at("/results/0/error").asText())
                    .contains("could not be written")
                    .contains("task_t");
            assertThat(status.get("result_paths")).isEmpty();
        }
    }

    @Test
    void f15_a_restarted_server_answers_for_finished_tasks_and_goes_on_with_running_ones() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            var node = rig.gateway("n1");
            rig.submit("done", 1, "");
            rig.deliver("done", rig.awaitDispatches(1).getFirst(), SessionStatus.COMPLETED, null);
            rig.submit("kept", 1, "");
            var kept = rig.awaitDispatches(2).getLast();
            rig.submit("lost", 1, "");
            var lost = rig.awaitDispatches(3).getLast();
            await().until(() -> rig.rows("lost").getFirst().place() == Place.PLACED
                    && rig.rows("kept").getFirst().place() == Place.PLACED);
            rig.stop();
            node.statuses.remove(lost);
            rig.sleep(1000);
            rig.start();

            assertThat(rig.status("done").get("status").asText()).isEqualTo("completed");
            assertThat(rig.status("done")
                            .at("/results/0/trajectory/traces/0/prompt_ids/1")
                            .asInt())
                    .isEqualTo(2);
            rig.awaitDispatches(4);
            assertThat(rig.rows("kept")).hasSize(1);
            assertThat(rig.rows("lost")).extracting(SessionRow::attempt).containsExactly(1, 2);
            assertThat(rig.deliver("kept", kept, SessionStatus.COMPLETED, null)).isEqualTo(Verdict.ACCEPTED);
            assertThat(rig.deliver("lost", lost, SessionStatus.COMPLETED, null)).isEqualTo(Verdict.IGNORED);
            var again = node.dispatches.getLast();
            assertThat(again.get("attempt").asInt()).isEqualTo(2);
            assertThat(node.dispatches)
                    .as("of one run of each task")
                    .filteredOn(dispatch -> dispatch.get("task_id").asText().equals("lost"))
                    .extracting(dispatch -> dispatch.get("submitted_at").asDouble())
                    .hasSize(2)
                    .containsOnly(again.get("submitted_at").asDouble());
            rig.deliver("lost", again.get("session_id").asText(), SessionStatus.COMPLETED, null);
            assertThat(rig.status("lost").get("status").asText()).isEqualTo("completed");
            assertThat(rig.status("lost").get("results")).hasSize(1);
        }
    }

    @Test
    void f16_the_sessions_of_a_silent_node_are_given_to_others_once_and_its_late_results_are_ignored()
            throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            rig.gateway("silent");
            rig.submit("t", 1, "");
            var first = rig.awaitDispatches(1).getFirst();
            await().until(() -> rig.rows("t").getFirst().place() == Place.PLACED);
            rig.sleep(76);
            var other = rig.gateway("other");
            await().until(() -> !other.dispatches.isEmpty());

            assertThat(other.dispatches.getFirst().get("attempt").asInt()).isEqualTo(2);
            assertThat(rig.deliver("t", first, SessionStatus.COMPLETED, null)).isEqualTo(Verdict.IGNORED);
            assertThat(rig.server
                            .nodes()
                            .heartbeat("silent", NodeStageMetrics.IDLE)
                            .orElseThrow()
                            .healthy())
                    .isTrue();
            await("the first attempt is ended where it still runs")
                    .until(() -> rig.gateways.getFirst().deleted.contains(first));
            assertThat(rig.rows("t")).hasSize(2);
            var second = other.dispatches.getFirst().get("session_id").asText();
            assertThat(rig.deliver("t", second, SessionStatus.COMPLETED, null)).isEqualTo(Verdict.ACCEPTED);
            assertThat(rig.status("t").get("results")).hasSize(1);
        }
    }

    @Test
    void a_sample_whose_last_attempt_is_lost_ends_as_an_error_with_every_key() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 1")) {
            rig.gateway("n1").refusals.clear();
            rig.submit("t", 1, ", \"metadata\": {\"group_id\": \"g\"}");
            rig.awaitDispatches(1);
            await().until(() -> rig.rows("t").getFirst().place() == Place.PLACED);
            rig.gateways.getFirst().forget();
            rig.server.nodes().register(rig.gateways.getFirst().registration());
            rig.awaitState("t", TaskState.COMPLETED);

            var result = rig.status("t").at("/results/0");
            assertThat(names(result))
                    .contains(
                            "session_id", "task_id", "status", "trajectory", "timing", "node_id", "error", "metadata");
            assertThat(result.get("error").asText())
                    .contains("lost after 1 attempts")
                    .contains("does not know it");
            assertThat(names(result.get("timing")))
                    .containsExactlyInAnyOrder("register_to_init_queue_ms", "init_ms", "run_ms", "postrun_ms");
            assertThat(result.at("/metadata/group_id").asText()).isEqualTo("g");
            assertThat(result.at("/metadata/attempt").asInt()).isEqualTo(1);
            assertThat(result.at("/metadata/submitted_at").asDouble()).isPositive();
            assertThat(result.at("/trajectory/traces")).isEmpty();
            assertThat(names(result.at("/trajectory/metadata")))
                    .contains(
                            "builder",
                            "session_id",
                            "task_id",
                            "record_count",
                            "trace_count",
                            "task_metadata",
                            "reconstruction_stats",
                            "evaluation",
                            "agent_result",
                            "not_built");
        }
    }

    @Test
    void an_attempt_over_its_time_is_lost_and_one_that_still_waits_for_init_is_not() throws Exception {
        try (var rig = new RolloutRig(folder, "callback_grace_seconds: 5")) {
            var node = rig.gateway("n1");
            rig.submit("waits", 1, "");
            rig.submit("runs", 1, "");
            rig.awaitDispatches(2);
            await().until(() -> rig.rows("waits").getFirst().place() == Place.PLACED
                    && rig.rows("runs").getFirst().place() == Place.PLACED);
            node.statuses.put(rig.rows("runs").getFirst().sessionId(), "RUNNING");
            await().until(() -> rig.rows("runs").getFirst().initAt() != null);
            assertThat(rig.rows("runs").getFirst().status()).isEqualTo(SessionStatus.RUNNING);
            rig.sleep(66);
            rig.server.nodes().heartbeat("n1", NodeStageMetrics.IDLE);
            await().until(() -> rig.rows("runs").size() == 2);

            await().until(() -> rig.rows("waits").getFirst().deadline() > rig.clock.get());
            assertThat(rig.rows("waits")).hasSize(1);
            assertThat(rig.rows("runs").getFirst().error()).contains("5 s after its budget ended");
        }
    }

    @Test
    void enough_usable_sessions_stop_the_others() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            var node = rig.gateway("n1");
            rig.submit("t", 3, ", \"early_stop_min_usable_sessions\": 1");
            var sessions = rig.awaitDispatches(3);
            await().until(() -> rig.rows("t").stream().allMatch(row -> row.place() == Place.PLACED));
            rig.deliver("t", sessions.get(1), SessionStatus.COMPLETED, null);

            var status = rig.status("t");
            assertThat(status.get("status").asText()).isEqualTo("completed");
            assertThat(texts(status.get("results"), "status")).containsExactlyInAnyOrder("COMPLETED", "ERROR", "ERROR");
            for (var result : status.get("results")) {
                if (result.get("status").asText().equals("ERROR")) {
                    assertThat(result.get("error").asText()).isEqualTo("stopped early");
                    assertThat(result.at("/metadata/early_stop_cancelled").asBoolean())
                            .isTrue();
                    assertThat(result.at("/trajectory/traces")).isEmpty();
                }
            }
            await().until(() -> node.deleted.containsAll(List.of(sessions.get(0), sessions.get(2))));
            assertThat(node.deleted).doesNotContain(sessions.get(1));
        }
    }

    @Test
    void a_completed_session_without_anything_to_train_on_is_not_usable() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            rig.gateway("n1");
            rig.submit("t", 2, ", \"early_stop_min_usable_sessions\": 1");
            var sessions = rig.awaitDispatches(2);
            rig.deliver("""
                    {"session_id": "%s", "task_id": "t", "status": "COMPLETED", "error": null, "trajectory":
                     {"metadata": {}, "traces": [{"prompt_ids": [1], "response_ids": [2], "loss_mask": [0]}, {"prompt_ids": [], "loss_mask": [1]}]}}
                    """.formatted(sessions.get(0)));

            assertThat(rig.status("t").get("status").asText()).isEqualTo("running");
        }
    }

    @Test
    void a_cancelled_task_ends_its_sessions_and_lists_what_was_terminal_before() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            var node = rig.gateway("n1");
            rig.submit("t", 3, "");
            var sessions = rig.awaitDispatches(3);
            rig.deliver("t", sessions.get(0), SessionStatus.COMPLETED, null);
            await().until(() -> rig.rows("t").stream().noneMatch(row -> row.place() == Place.SENDING));

            assertThat(rig.server.tasks().cancel("t", false)).contains(TaskState.CANCELLING);
            rig.awaitState("t", TaskState.CANCELLED);
            assertThat(node.deleted).containsExactlyInAnyOrder(sessions.get(1), sessions.get(2));
            assertThat(rig.deliver("t", sessions.get(1), SessionStatus.ERROR, "session cancelled"))
                    .isEqualTo(Verdict.IGNORED);
            assertThat(texts(rig.status("t").get("results"), "session_id")).containsExactly(sessions.get(0));
            assertThat(rig.server.tasks().cancel("t", false)).contains(TaskState.CANCELLED);
        }
    }

    @Test
    void a_task_that_is_cancelled_before_it_is_submitted_is_refused_for_five_minutes() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            assertThat(rig.server.tasks().cancel("t", false)).isEmpty();
            assertThat(rig.server.tasks().cancel("t", true)).contains(TaskState.CANCELLED);
            rig.sleep(299);
            assertThatThrownBy(() -> rig.submit("t", 1, ""))
                    .isInstanceOf(ProblemException.class)
                    .hasMessageContaining("cancelled before");
            rig.sleep(2);
            rig.submit("t", 1, "");
        }
    }

    @Test
    void a_finished_id_is_submitted_again_and_replaces_the_old_task() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            rig.gateway("n1");
            rig.submit("t", 1, "");
            var old = rig.awaitDispatches(1).getFirst();
            rig.deliver("t", old, SessionStatus.COMPLETED, null);
            var file = Path.of(rig.rows("t").getFirst().resultPath());
            assertThat(file).exists();
            rig.submit("t", 2, "");

            assertThat(rig.status("t").get("status").asText()).isEqualTo("running");
            assertThat(rig.status("t").get("results")).isEmpty();
            assertThat(file).doesNotExist();
            assertThat(rig.deliver("t", old, SessionStatus.COMPLETED, null)).isEqualTo(Verdict.IGNORED);
        }
    }

    @Test
    void a_result_file_that_was_removed_leaves_the_other_results_readable() throws Exception {
        try (var rig = new RolloutRig(folder, "save_dir: results")) {
            rig.gateway("n1");
            rig.submit("t", 2, "");
            for (var session : rig.awaitDispatches(2)) {
                rig.deliver("t", session, SessionStatus.COMPLETED, null);
            }
            Files.delete(Path.of(rig.rows("t").getFirst().resultPath()));

            assertThat(texts(rig.status("t").get("results"), "status")).containsExactly("ERROR", "COMPLETED");
            assertThat(rig.status("t").at("/results/0/error").asText()).contains("not there any more");
        }
    }

    @Test
    void pausing_asks_every_live_node() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            rig.gateway("a");
            rig.gateway("b");
            var answer = rig.server.fanOut().ask("POST", "/admin/inference/pause", java.time.Duration.ofSeconds(10));
            assertThat(answer.allPaused()).isTrue();
            assertThat(answer.nodes()).extracting(FanOut.Said::nodeId).containsExactly("a", "b");

            rig.gateways.getFirst().close();
            var half = rig.server.fanOut().ask("POST", "/admin/inference/pause", java.time.Duration.ofSeconds(10));
            assertThat(half.allPaused()).isFalse();
            assertThat(half.allFailed()).isFalse();
            assertThat(half.nodes().getFirst().status()).isZero();
        }
    }

    @Test
    void a_draining_node_gets_nothing_new_until_it_registers_again() throws Exception {
        try (var rig = new RolloutRig(folder, "max_attempts: 3")) {
            var drained = rig.gateway("a");
            assertThat(rig.server.nodes().drain("a").orElseThrow().draining()).isTrue();
            var other = rig.gateway("b");
            rig.submit("t", 4, "");
            rig.awaitDispatches(4);
            assertThat(drained.dispatches).isEmpty();
            assertThat(other.dispatches).hasSize(4);

            assertThat(rig.server.nodes().register(drained.registration()).draining())
                    .isFalse();
        }
    }

    private static List<String> texts(JsonNode array, String key) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(element -> element.get(key).asText())
                .toList();
    }

    private static List<String> names(JsonNode object) {
        return object.properties().stream().map(java.util.Map.Entry::getKey).toList();
    }
}
