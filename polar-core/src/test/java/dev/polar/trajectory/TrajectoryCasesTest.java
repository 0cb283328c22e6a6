package dev.polar.trajectory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.capture.Detokenizer;
import dev.polar.capture.RecordStore;
import dev.polar.capture.RecordedCalls;
import dev.polar.capture.SealedRecord;
import dev.polar.spi.BuiltTrajectory;
import dev.polar.topology.GatewayConfig.Fsync;
import dev.polar.topology.GatewayConfig.Persistence;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class TrajectoryCasesTest {
    private final RecordedCalls calls = new RecordedCalls(
            new RecordStore(null, new Persistence(false, 64, 1, 16, 1, 0.0, Fsync.NONE)).create("s", "t"));

    private BuiltTrajectory build() {
        return build(calls.seal(9), Merge.EXACT);
    }

    private static BuiltTrajectory build(SealedRecord record, Merge merge) {
        return TrajectoryAssembler.build(
                new PrefixMergingBuilder(), record, new PrefixMergingConfig(merge, null, null, null, null));
    }

    private static List<List<String>> chains(BuiltTrajectory built) {
        return built.traces().stream()
                .map(trace -> Records.spans(trace).stream()
                        .map(span -> (String) span.get("completion_id"))
                        .toList())
                .toList();
    }

    private static List<String> excluded(BuiltTrajectory built) {
        return built.excluded().stream()
                .map(exclusion -> exclusion.completionId() + " " + exclusion.reason())
                .toList();
    }

    private static Map<String, Object> first(BuiltTrajectory built, int trace) {
        return Records.spans(built.traces().get(trace)).getFirst();
    }

    @Test
    void e01_a_retokenized_turn_starts_a_trace_by_default_and_is_merged_under_same_text() {
        calls.call("1", "4 5 9").record();
        calls.call("1 45 9 6", "7 9").record();
        var record = calls.seal(9);

        var exact = build(record, Merge.EXACT);
        var sameText = build(record, Merge.SAME_TEXT);

        assertThat(chains(exact)).containsExactly(List.of("1"), List.of("2"));
        assertThat(first(exact, 1)).containsEntry("break", "retokenized");
        assertThat(chains(sameText)).containsExactly(List.of("1", "2"));
        assertThat(sameText.traces().getFirst().responseIds()).containsExactly(4, 5, 9, 6, 7, 9);
        assertThat(sameText.reconstructionStats()).containsEntry("tails_retokenized", 1L);
    }

    @Test
    void e02_what_the_template_adds_after_the_end_of_turn_is_given_text() {
        calls.call("1", "4 9").record();
        calls.call("1 4 9 7 6", "8 9").record();

        var trace = build().traces().getFirst();

        assertThat(trace.responseIds()).containsExactly(4, 9, 7, 6, 8, 9);
        assertThat(trace.lossMask()).containsExactly(1, 1, 0, 0, 1, 1);
    }

    @Test
    void e03_an_answer_without_logprobs_never_trains() {
        calls.call("1", "4 9").logprobs((double[]) null).record();

        var built = build();

        assertThat(built.traces()).isEmpty();
        assertThat(excluded(built)).containsExactly("1 untrainable:no_logprobs");
    }

    @Test
    void e04_two_agents_that_interleave_are_two_chains() {
        calls.call("1 2", "4 9").record();
        calls.call("1 3", "6 9").record();
        calls.call("1 2 4 9 5", "8 9").record();
        calls.call("1 3 6 9 7", "8 9").record();

        assertThat(chains(build())).containsExactly(List.of("1", "3"), List.of("2", "4"));
    }

    @Test
    void e05_a_retry_after_a_lost_answer_is_one_trace_and_no_turn_is_lost() {
        calls.call("1 2", "4 9").undelivered().record();
        calls.call("1 2", "5 9").record();
        calls.call("1 2 5 9 6", "7 9").record();

        var built = build();

        assertThat(chains(built)).containsExactly(List.of("2", "3"));
        assertThat(excluded(built)).containsExactly("1 undelivered");
        assertThat(built.reconstructionStats()).containsEntry("completions_undelivered", 1L);
    }

    @Test
    void e06_of_two_answers_to_one_prompt_the_one_that_went_on_is_continued() {
        calls.call("1 2", "4 9").record();
        calls.call("1 2", "5 9").record();
        calls.call("1 2 4 9 6", "7 9").record();

        var built = build();

        assertThat(chains(built)).containsExactly(List.of("1", "3"), List.of("2"));
        assertThat(first(built, 1)).containsEntry("break", "same_prompt").doesNotContainKey("superseded_by");
    }

    @Test
    void e07_a_prompt_from_the_middle_of_a_chain_is_a_fork_that_says_where_it_comes_from() {
        calls.call("1 2", "4 9").record();
        calls.call("1 2 4 9 5", "6 9").record();
        calls.call("1 2 4 9 5 6 9 7", "8 9").record();
        calls.call("1 2 4 9 3", "8 9").record();

        var built = build();

        assertThat(chains(built)).containsExactly(List.of("1", "2", "3"), List.of("4"));
        assertThat(first(built, 1)).containsEntry("break", "fork").containsEntry("parent", "1");
        assertThat(built.traces().get(1).metadata())
                .containsEntry("parent_trace", 0)
                .containsEntry("shared_prefix_tokens", 4);
        long trained = built.traces().stream()
                .mapToLong(trace -> Arrays.stream(trace.lossMask()).sum())
                .sum();
        assertThat(trained).isEqualTo(8);
    }

    @Test
    void e08_after_a_compaction_a_labelled_trace_begins_and_both_train() {
        calls.call("1 2 3", "4 9").record();
        calls.call("1 2 3 4 9 5", "6 9").label("main", null, "compaction").record();
        calls.call("1 2 7", "8 9").label("main", null, "resumed").record();

        var built = build();

        assertThat(chains(built)).containsExactly(List.of("1", "2"), List.of("3"));
        assertThat(first(built, 1)).containsEntry("segment_kind", "resumed");
        assertThat(built.traces().get(1).metadata()).containsEntry("segment_kind", "resumed");
        assertThat(Records.spans(built.traces().getFirst()).get(1)).containsEntry("segment_kind", "compaction");
    }

    @Test
    void e09_an_auxiliary_call_between_two_turns_is_left_out_and_the_chain_is_whole() {
        calls.call("1 2", "4 9").record();
        calls.call("1 7", "5 9").label("auxiliary", null).record();
        calls.call("1 2 4 9 6", "8 9").record();
        var record = calls.seal(9);

        var built = build(record, Merge.EXACT);
        assertThat(chains(built)).containsExactly(List.of("1", "3"));
        assertThat(excluded(built)).containsExactly("2 role:auxiliary");
        assertThat(built.reconstructionStats()).containsEntry("completions_auxiliary", 1L);

        var all = TrajectoryAssembler.build(
                new PrefixMergingBuilder(),
                record,
                new PrefixMergingConfig(null, List.of("main", "auxiliary"), null, null, null));
        assertThat(chains(all)).containsExactly(List.of("1", "3"), List.of("2"));
    }

    @Test
    void e10_a_bad_logprob_leaves_its_answer_out() {
        for (double bad : new double[] {Double.NaN, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, 0.3}) {
            calls.call("1 2", "4 9").logprobs(-.1, bad).record();
        }

        var built = build();

        assertThat(built.traces()).isEmpty();
        assertThat(built.excluded())
                .hasSize(4)
                .allMatch(exclusion -> exclusion.reason().equals("untrainable:bad_logprob"));
    }

    @Test
    void e11_an_empty_answer_is_counted_and_never_a_parent() {
        calls.call("1 2", "").record();
        calls.call("1 2 9 5", "6 9").record();

        var built = build();

        assertThat(chains(built)).containsExactly(List.of("2"));
        assertThat(excluded(built)).containsExactly("1 empty");
        assertThat(built.reconstructionStats()).containsEntry("completions_empty", 1L);
        assertThat(first(built, 0)).containsEntry("break", "first");
    }

    @Test
    void e12_a_thousand_turns_are_one_trace() {
        var ids = new int[4_000];
        Arrays.setAll(ids, i -> i % 4 == 3 ? 9 : 10 + i % 500);
        for (int turn = 0; turn < 1_000; turn++) {
            calls.call(Arrays.copyOf(ids, 4 * turn + 2), Arrays.copyOfRange(ids, 4 * turn + 2, 4 * turn + 4))
                    .record();
        }

        var built = build();

        assertThat(built.traces()).hasSize(1);
        assertThat(Records.spans(built.traces().getFirst())).hasSize(1_000);
        assertThat(built.traces().getFirst().responseIds()).isEqualTo(Arrays.copyOfRange(ids, 2, 4_000));
    }

    @Test
    void e13_spans_carry_the_version_at_dispatch_and_the_version_at_the_end() {
        var metadata = JsonNodeFactory.instance
                .objectNode()
                .put("policy_version", 3)
                .put("policy_version_end", 4)
                .put("guided", true);
        metadata.putObject("sampling").put("temperature", 1.0);
        calls.call("1", "4 9").metadata(metadata).record();

        var span = first(build(), 0);

        assertThat(span)
                .containsEntry("policy_version", 3)
                .containsEntry("policy_version_end", 4)
                .containsEntry("guided", true)
                .containsEntry("sampling", Map.of("temperature", 1.0));
    }

    @Test
    void e14_a_truncated_answer_is_closed_by_the_templates_own_end_id() {
        calls.call("1", "4 5").cut().record();
        calls.call("1 4 5 9 6", "7 9").record();

        var trace = build().traces().getFirst();

        assertThat(trace.responseIds()).containsExactly(4, 5, 9, 6, 7, 9);
        assertThat(trace.lossMask()).containsExactly(1, 1, 0, 0, 1, 1);
    }

    @Test
    void e15_dropped_reasoning_makes_a_new_trace_and_still_trains_where_it_was_sampled() {
        calls.call("1", "3 3 4 9").record();
        calls.call("1 4 9 6", "7 9").record();

        var built = build(calls.seal(9), Merge.SAME_TEXT);

        assertThat(chains(built)).containsExactly(List.of("1"), List.of("2"));
        assertThat(first(built, 1)).containsEntry("break", "rewritten");
        assertThat(built.traces().getFirst().responseIds()).containsExactly(3, 3, 4, 9);
        assertThat(built.traces().getFirst().lossMask()).containsOnly(1);
    }

    @Test
    void e17_with_nothing_known_to_end_a_turn_only_exact_tails_merge() {
        calls.call("1", "4 5").stoppedByString("X").record();
        calls.call("1 45 9 6", "7 5").stoppedByString("X").record();
        calls.call("1 4 5 8", "7 5").stoppedByString("X").record();

        var built = build(calls.seal(OptionalInt.empty(), RecordedCalls.DIGITS), Merge.ANY);

        assertThat(chains(built)).containsExactly(List.of("1", "3"), List.of("2"));
        assertThat(built.builderConfig()).containsEntry("end_of_turn_token_id", null);
    }

    @Test
    void e18_a_text_that_ends_inside_a_token_is_a_rewritten_tail() {
        calls.call("1", "2 3 4").cut().record();
        calls.call("1 23 45 9 6", "7 9").record();

        var built = build(calls.seal(9), Merge.SAME_TEXT);

        assertThat(chains(built)).containsExactly(List.of("1"), List.of("2"));
        assertThat(first(built, 1)).containsEntry("break", "rewritten");
    }

    @Test
    void e19_another_picture_behind_the_same_ids_is_another_conversation() {
        calls.call("1 50 2", "4 9").picture(1, "sha256:aa").record();
        calls.call("1 50 2 4 9 6", "7 9").picture(1, "sha256:bb").record();

        var built = build();

        assertThat(chains(built)).containsExactly(List.of("1"), List.of("2"));
        assertThat(first(built, 1)).containsEntry("break", "first");
    }

    @Test
    void any_merges_a_rewritten_turn_as_well_and_says_so_from_there_on() {
        calls.call("1", "3 3 4 9").record();
        calls.call("1 4 9 6", "7 9").record();
        calls.call("1 4 9 6 7 9 2", "8 9").record();

        var built = build(calls.seal(9), Merge.ANY);

        assertThat(chains(built)).containsExactly(List.of("1", "2", "3"));
        var spans = Records.spans(built.traces().getFirst());
        assertThat(spans.get(0)).doesNotContainKey("context");
        assertThat(spans.get(1)).containsEntry("tail", "rewritten").containsEntry("context", "any");
        assertThat(spans.get(2)).containsEntry("tail", "exact").containsEntry("context", "any");
    }

    @Test
    void superseded_answers_can_be_left_out() {
        calls.call("1", "4 9").record();
        calls.call("1", "5 9").record();
        calls.call("1 5 9 6", "7 9").record();

        var built = TrajectoryAssembler.build(
                new PrefixMergingBuilder(), calls.seal(9), new PrefixMergingConfig(null, null, null, false, null));

        assertThat(chains(built)).containsExactly(List.of("2", "3"));
        assertThat(excluded(built)).containsExactly("1 superseded");
        assertThat(built.reconstructionStats()).containsEntry("completions_superseded", 1L);
    }

    @Test
    void messages_are_the_first_prompts_then_answers_and_what_came_between() {
        calls.call("1", "4 9")
                .request(request("u1"))
                .answered(message("assistant", "a1"))
                .record();
        calls.call("1 4 9 5", "6 9")
                .request(request("u1", "a1", "u2", "u3"))
                .answered(message("assistant", "a2"))
                .record();

        var trace = build().traces().getFirst();

        assertThat(trace.promptMessages()).containsExactly(Map.of("role", "user", "content", "u1"));
        assertThat(trace.responseMessages())
                .containsExactly(
                        Map.of("role", "assistant", "content", "a1"),
                        Map.of("role", "user", "content", "u2"),
                        Map.of("role", "user", "content", "u3"),
                        Map.of("role", "assistant", "content", "a2"));
        assertThat(trace.tools()).hasSize(1);
        assertThat(trace.finishReason()).isEqualTo("stop");
    }

    private static ObjectNode request(String... contents) {
        var request = JsonNodeFactory.instance.objectNode();
        var messages = request.putArray("messages");
        for (var content : contents) {
            messages.add(message(content.startsWith("a") ? "assistant" : "user", content));
        }
        request.putArray("tools").addObject().put("type", "function");
        return request;
    }

    private static ObjectNode message(String role, String content) {
        return JsonNodeFactory.instance.objectNode().put("role", role).put("content", content);
    }

    @Test
    void per_request_makes_a_trace_of_each_included_answer() {
        calls.call("1", "4 9").undelivered().record();
        calls.call("1 4 9 5", "6 9").record();
        calls.call("1 7", "").record();

        var built = TrajectoryAssembler.build(new PerRequestBuilder(), calls.seal(9), PerRequestConfig.DEFAULT);

        assertThat(chains(built)).containsExactly(List.of("1"), List.of("2"));
        assertThat(first(built, 0)).containsEntry("included_by", "continuation");
        assertThat(built.traces().get(1).promptIds()).containsExactly(1, 4, 9, 5);
        assertThat(excluded(built)).containsExactly("3 empty");
    }

    @Test
    void a_builder_with_another_end_of_turn_than_its_record_is_refused() {
        calls.call("1", "4 9").record();
        var record = calls.seal(OptionalInt.of(9), Detokenizer.NONE);

        assertThatThrownBy(() -> TrajectoryAssembler.build(
                        new PrefixMergingBuilder(), record, new PrefixMergingConfig(null, null, null, null, 7)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("end-of-turn id 9")
                .hasMessageContaining("decided again");
    }

    @Test
    void a_session_without_calls_builds_to_nothing() {
        var built = build();

        assertThat(built.traces()).isEmpty();
        assertThat(built.excluded()).isEmpty();
        assertThat(new ArrayList<>(built.reconstructionStats().keySet()))
                .containsAll(ReconstructionStats.NONE.keySet());
    }
}
