package dev.polar.trajectory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.polar.capture.RecordStore;
import dev.polar.capture.RecordedCalls;
import dev.polar.spi.ApiType;
import dev.polar.spi.BuilderSpec;
import dev.polar.spi.BuiltTrajectory;
import dev.polar.spi.Evaluation;
import dev.polar.spi.InvalidValueException;
import dev.polar.spi.SessionInfo;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.Trace;
import dev.polar.spi.Trajectory;
import dev.polar.topology.GatewayConfig.Fsync;
import dev.polar.topology.GatewayConfig.Persistence;
import dev.polar.wire.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class TrajectoryAssemblerTest {
    private static final SessionInfo SESSION = new SessionInfo(
            "sk-polar-1", "task", "node", Map.of("group_id", "g1", "policy_version", 3, "own", List.of(1)));
    private static final SessionOutcome.Models MODELS =
            new SessionOutcome.Models("asked", "served", ApiType.ANTHROPIC, Map.of(), "shell");

    private final RecordedCalls calls = new RecordedCalls(
            new RecordStore(null, new Persistence(false, 64, 1, 16, 1, 0.0, Fsync.NONE)).create("sk-polar-1", "task"));

    /** Two traces of one completion each. */
    private SessionOutcome twoTraces() {
        calls.call("1 2", "4 9").record();
        calls.call("1 3", "6 9").record();
        calls.call("1 4", "6 9").undelivered().record();
        var record = calls.seal(9);
        var built = TrajectoryAssembler.build(new PrefixMergingBuilder(), record, PrefixMergingConfig.DEFAULT);
        return SessionOutcome.of(SESSION, "prefix_merging", MODELS, "nothing yet")
                .ran(Map.of("status", "completed"), Map.of("harness", "shell"), false)
                .ended(SessionStatus.COMPLETED, null)
                .built(record, built);
    }

    private static Map<?, ?> filter(Trace trace) {
        return (Map<?, ?>) trace.metadata().get("training_filter");
    }

    private static Map<?, ?> evaluation(Trajectory trajectory) {
        return (Map<?, ?>) trajectory.metadata().get("evaluation");
    }

    @Test
    void a_trajectory_has_every_key() {
        var trajectory = TrajectoryAssembler.assemble(twoTraces()
                .evaluated("test_on_output", new Evaluation(1.0, null, Map.of("report", Map.of("resolved", true)))));

        assertThat(trajectory.metadata())
                .containsEntry("builder", "prefix_merging")
                .containsEntry("session_id", "sk-polar-1")
                .containsEntry("task_id", "task")
                .containsEntry("harness", "shell")
                .containsEntry("api_type", "openai_chat")
                .containsEntry("model_requested", "asked")
                .containsEntry("model_used", "served")
                .containsEntry("record_count", 3)
                .containsEntry("trace_count", 2)
                .containsEntry("task_metadata", SESSION.metadata())
                .containsEntry("agent_result", Map.of("status", "completed"))
                .containsEntry("group_id", "g1")
                .containsEntry("policy_version", 3)
                .containsEntry("excluded_completions", List.of(Map.of("completion_id", "3", "reason", "undelivered")))
                .containsKeys("reconstruction_stats", "builder_config")
                .doesNotContainKeys("rollout_step", "not_built");
        assertThat(evaluation(trajectory))
                .isEqualTo(mapOf(
                        "strategy",
                        "test_on_output",
                        "outcome_reward",
                        1.0,
                        "trace_rewards",
                        null,
                        "report",
                        Map.of("resolved", true)));
        assertThat(trajectory.traces())
                .allSatisfy(trace -> assertThat(trace.metadata())
                        .containsEntry("group_id", "g1")
                        .containsEntry("own", List.of(1))
                        .containsEntry("session_id", "sk-polar-1")
                        .containsEntry("harness", "shell")
                        .containsKeys("spans", "completion_metadata", "training_filter"));
        assertThat(trajectory.traces()).extracting(Trace::reward).containsExactly(1.0, 1.0);
        assertThat(filter(trajectory.traces().getFirst()))
                .isEqualTo(mapOf(
                        "masked", false, "trainable", true, "reason", null, "detail", null, "original_reward", 1.0));
    }

    private static Map<String, Object> mapOf(Object... keysAndValues) {
        var map = new java.util.LinkedHashMap<String, Object>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return map;
    }

    @Test
    void a_session_that_never_started_has_every_key_with_counts_of_zero() {
        var trajectory = TrajectoryAssembler.assemble(
                SessionOutcome.of(SESSION, "per_request", MODELS, "prepare action 1 failed with exit code 3"));

        assertThat(trajectory.status()).isEqualTo(SessionStatus.ERROR);
        assertThat(trajectory.error()).contains("exit code 3");
        assertThat(trajectory.traces()).isEmpty();
        assertThat(trajectory.metadata())
                .containsEntry("api_type", "anthropic")
                .containsEntry("record_count", 0)
                .containsEntry("trace_count", 0)
                .containsEntry("evaluation", null)
                .containsEntry("agent_result", Map.of())
                .containsEntry("excluded_completions", List.of())
                .containsEntry("reconstruction_stats", ReconstructionStats.NONE);
    }

    @Test
    void a_session_that_is_not_built_says_why() {
        var outcome = twoTraces();
        var trajectory = TrajectoryAssembler.assemble(outcome.notBuilt(outcome.record(), "session cancelled")
                .ended(SessionStatus.ERROR, "session cancelled"));

        assertThat(trajectory.traces()).isEmpty();
        assertThat(trajectory.metadata())
                .containsEntry("not_built", "session cancelled")
                .containsEntry("record_count", 3)
                .doesNotContainKey("excluded_completions");
    }

    @Test
    void an_evaluator_sees_traces_without_rewards_and_filters() {
        var trajectory = TrajectoryAssembler.unscored(twoTraces());

        assertThat(trajectory.traces()).hasSize(2).allSatisfy(trace -> {
            assertThat(trace.reward()).isNull();
            assertThat(trace.metadata()).doesNotContainKey("training_filter").containsEntry("harness", "shell");
        });
    }

    @Test
    void each_trace_gets_its_own_reward_where_there_is_one_for_each() {
        var trajectory = TrajectoryAssembler.assemble(
                twoTraces().evaluated("x", new Evaluation(0.5, Arrays.asList(0.25, null), Map.of())));

        assertThat(trajectory.traces()).extracting(Trace::reward).containsExactly(0.25, 0.5);
    }

    @Test
    void rewards_that_do_not_fit_the_traces_are_an_error() {
        var outcome = twoTraces();

        assertThatThrownBy(() -> TrajectoryAssembler.assemble(
                        outcome.evaluated("x", new Evaluation(0.5, List.of(1.0), Map.of()))))
                .isInstanceOf(RewardException.class)
                .hasMessage("the evaluator gave 1 trace rewards for 2 traces: one for each is needed");
        assertThatThrownBy(() -> TrajectoryAssembler.assemble(
                        outcome.evaluated("x", new Evaluation(0.5, List.of(1.0, Double.NaN), Map.of()))))
                .isInstanceOf(RewardException.class)
                .hasMessageContaining("trace 1");
    }

    @Test
    void a_failed_or_timed_out_session_does_not_train_and_its_score_is_discarded() {
        for (var status : List.of(SessionStatus.ERROR, SessionStatus.TIMEOUT)) {
            var calls = new TrajectoryAssemblerTest();
            var trajectory = TrajectoryAssembler.assemble(
                    calls.twoTraces().ended(status, "went wrong").evaluated("x", new Evaluation(0.7, null, Map.of())));

            var reason = "session_" + status.name().toLowerCase(java.util.Locale.ROOT);
            for (var trace : trajectory.traces()) {
                assertThat(trace.reward()).isZero();
                assertThat(trace.lossMask()).containsOnly(0);
                assertThat(trace.responseLogprobs()).doesNotContain(0.0);
                assertThat(filter(trace))
                        .isEqualTo(mapOf(
                                "masked",
                                true,
                                "trainable",
                                false,
                                "reason",
                                reason,
                                "detail",
                                "went wrong",
                                "original_reward",
                                0.7));
            }
            assertThat(evaluation(trajectory).get("outcome_reward")).isEqualTo(0.0);
            assertThat(evaluation(trajectory).get("discarded_outcome_reward")).isEqualTo(0.7);
            assertThat(evaluation(trajectory).get("reward_discarded")).isEqualTo(true);
            assertThat(evaluation(trajectory).get("reward_discard_reason")).isEqualTo(reason);
        }
    }

    @Test
    void an_agent_that_used_up_its_own_time_trains_without_reward() {
        var trajectory = TrajectoryAssembler.assemble(twoTraces()
                .ran(Map.of(), Map.of(), true)
                .ended(SessionStatus.TIMEOUT, "the agent ran longer than 5 s")
                .evaluated("x", new Evaluation(1.0, null, Map.of())));

        assertThat(trajectory.status()).isEqualTo(SessionStatus.TIMEOUT);
        assertThat(trajectory.metadata())
                .containsEntry(
                        "agent_result",
                        Map.of("status", "timeout", "timeout_source", "agent", "timeout_stage", "exec"));
        for (var trace : trajectory.traces()) {
            assertThat(trace.reward()).isZero();
            assertThat(trace.lossMask()).containsOnly(1);
            assertThat(filter(trace).get("reason")).isEqualTo("agent_timeout");
            assertThat(filter(trace).get("masked")).isEqualTo(false);
            assertThat(filter(trace).get("trainable")).isEqualTo(true);
        }
    }

    @Test
    void an_agent_timeout_without_aligned_logprobs_does_not_train() {
        var outcome = twoTraces().ran(Map.of(), Map.of(), true).ended(SessionStatus.TIMEOUT, "too long");
        var whole = outcome.built().traces().getFirst();
        var unaligned = new Trace(
                whole.promptIds(),
                whole.responseIds(),
                whole.lossMask(),
                List.of(),
                List.of(),
                null,
                "stop",
                null,
                null,
                whole.metadata());

        var filtered = TrainingFilter.apply(unaligned, outcome);

        assertThat(filter(filtered).get("reason")).isEqualTo("agent_timeout_unaligned");
        assertThat(filter(filtered).get("masked")).isEqualTo(true);
        assertThat(filtered.lossMask()).containsOnly(0);
    }

    @Test
    void b14_a_tool_call_that_does_not_parse_never_earns_a_positive_reward() {
        calls.call("1 2", "4 9")
                .metadata(JsonNodeFactory.instance.objectNode().put("invalid_tool_call", true))
                .record();
        calls.call("1 3", "6 9").record();
        var record = calls.seal(9);
        var outcome = SessionOutcome.of(SESSION, "prefix_merging", MODELS, null)
                .ended(SessionStatus.COMPLETED, null)
                .built(
                        record,
                        TrajectoryAssembler.build(new PrefixMergingBuilder(), record, PrefixMergingConfig.DEFAULT));

        var rewarded = TrajectoryAssembler.assemble(outcome.evaluated("x", new Evaluation(1.0, null, Map.of())));
        var punished = TrajectoryAssembler.assemble(outcome.evaluated("x", new Evaluation(-1.0, null, Map.of())));

        assertThat(rewarded.traces()).extracting(Trace::reward).containsExactly(0.0, 1.0);
        assertThat(filter(rewarded.traces().getFirst()))
                .isEqualTo(mapOf(
                        "masked",
                        false,
                        "trainable",
                        true,
                        "reason",
                        "parser_invalid_tool_call",
                        "detail",
                        "completion 1",
                        "original_reward",
                        1.0));
        assertThat(rewarded.traces().getFirst().lossMask()).containsOnly(1);
        assertThat(punished.traces()).extracting(Trace::reward).containsExactly(-1.0, -1.0);
    }

    @Test
    void a_trajectory_is_written_in_the_wires_names() throws Exception {
        var json = Json.MAPPER.valueToTree(TrajectoryAssembler.assemble(twoTraces()));

        assertThat(json.path("traces").path(0).path("prompt_ids").toString()).isEqualTo("[1,2]");
        assertThat(json.path("traces").path(0).path("response_logprobs")).hasSize(2);
        assertThat(json.path("metadata")
                        .path("excluded_completions")
                        .path(0)
                        .path("completion_id")
                        .textValue())
                .isEqualTo("3");
    }

    @Test
    void the_end_of_turn_is_the_builders_then_the_nodes_then_the_engines() {
        var configured = new BuilderSpec("prefix_merging", Map.of("end_of_turn_token_id", 7));
        var plain = new BuilderSpec("prefix_merging", null);

        assertThat(EndOfTurn.of(configured, OptionalInt.of(8), OptionalInt.of(9)))
                .hasValue(7);
        assertThat(EndOfTurn.of(plain, OptionalInt.of(8), OptionalInt.of(9))).hasValue(8);
        assertThat(EndOfTurn.of(plain, OptionalInt.empty(), OptionalInt.of(9))).hasValue(9);
        assertThat(EndOfTurn.of(plain, OptionalInt.empty(), OptionalInt.empty()))
                .isEmpty();
        assertThatThrownBy(() -> EndOfTurn.of(
                        new BuilderSpec(null, Map.of("end_of_turn_token_id", "x")),
                        OptionalInt.empty(),
                        OptionalInt.empty()))
                .isInstanceOf(InvalidValueException.class)
                .hasMessageContaining("builder.config.end_of_turn_token_id");
    }

    // Invariants: what a builder with a bug would hand over

    private void breaks(int number, SessionOutcome outcome, BuiltTrajectory wrong) {
        assertThatThrownBy(() -> Invariants.check(outcome.record(), wrong))
                .isInstanceOfSatisfying(
                        BrokenInvariantException.class,
                        broken -> assertThat(broken.number()).isEqualTo(number));
    }

    private static BuiltTrajectory with(BuiltTrajectory built, Trace first) {
        var traces = new ArrayList<>(built.traces());
        traces.set(0, first);
        return new BuiltTrajectory(traces, built.excluded(), built.builderConfig(), built.reconstructionStats());
    }

    private static Trace with(Trace trace, int[] responseIds, int[] mask, double[] logprobs) {
        return new Trace(
                trace.promptIds(),
                responseIds,
                mask,
                trace.promptMessages(),
                trace.responseMessages(),
                trace.tools(),
                trace.finishReason(),
                logprobs,
                null,
                trace.metadata());
    }

    @Test
    void a_broken_invariant_is_told_by_its_number() {
        calls.call("1 2", "4 9").record();
        calls.call("1 2 4 9 3", "6 9").record();
        calls.call("1 5", "6 9").record();
        var record = calls.seal(9);
        var built = TrajectoryAssembler.build(new PrefixMergingBuilder(), record, PrefixMergingConfig.DEFAULT);
        var outcome = SessionOutcome.of(SESSION, "x", MODELS, "x").built(record, built);
        var trace = built.traces().getFirst();
        var ids = trace.responseIds();
        var mask = trace.lossMask();
        var logprobs = trace.responseLogprobs();

        breaks(1, outcome, with(built, with(trace, ids, Arrays.copyOf(mask, 4), logprobs)));
        breaks(1, outcome, with(built, with(trace, ids, mask, null)));
        breaks(2, outcome, with(built, with(trace, changed(ids, 0, 5), mask, logprobs)));
        breaks(2, outcome, with(built, with(trace, ids, mask, changed(logprobs, 3, -0.5))));
        breaks(2, outcome, new BuiltTrajectory(built.traces().subList(0, 1), List.of(), Map.of(), Map.of()));
        breaks(
                2,
                outcome,
                new BuiltTrajectory(List.of(trace, trace), List.of(), Map.of(), built.reconstructionStats()));
        breaks(3, outcome, with(built, with(trace, ids, changed(mask, 2, 1), logprobs)));
        breaks(3, outcome, with(built, with(trace, ids, changed(mask, 0, 0), logprobs)));
        breaks(3, outcome, with(built, with(trace, ids, mask, changed(logprobs, 2, -0.5))));
        breaks(4, outcome, with(built, with(trace, changed(ids, 2, 8), mask, logprobs)));
        var stats = new java.util.HashMap<>(built.reconstructionStats());
        stats.put("tails_exact", 7);
        breaks(6, outcome, new BuiltTrajectory(built.traces(), built.excluded(), Map.of(), stats));
        stats.putAll(built.reconstructionStats());
        stats.put("breaks", Map.of("first", 1));
        breaks(6, outcome, new BuiltTrajectory(built.traces(), built.excluded(), Map.of(), stats));
        Invariants.check(record, built);
    }

    @Test
    void a_bad_logprob_in_a_trace_breaks_the_fifth_invariant() {
        calls.call("1 2", "4 9").logprobs(-.1, .3).record();
        var record = calls.seal(9);
        var completion = record.completions().getFirst();
        var step = new Chain.Step(completion, null, 0, Map.of("break", "first"));
        var trace = TraceAssembly.of(new Chain(List.of(step), Map.of()));
        var built = new BuiltTrajectory(List.of(trace), List.of(), Map.of(), Map.of());

        breaks(5, SessionOutcome.of(SESSION, "x", MODELS, "x").built(record, built), built);
    }

    private static int[] changed(int[] values, int at, int value) {
        var copy = values.clone();
        copy[at] = value;
        return copy;
    }

    private static double[] changed(double[] values, int at, double value) {
        var copy = values.clone();
        copy[at] = value;
        return copy;
    }
}
