package dev.polar.trajectory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.capture.RecordStore;
import dev.polar.capture.RecordedCalls;
import dev.polar.spi.BuiltTrajectory;
import dev.polar.spi.Trace;
import dev.polar.topology.GatewayConfig.Fsync;
import dev.polar.topology.GatewayConfig.Persistence;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class PrefixMergingTest {
    private static final int END_OF_TURN = 9;

    private final RecordedCalls calls = new RecordedCalls(
            new RecordStore(null, new Persistence(false, 64, 1, 16, 1, 0.0, Fsync.NONE)).create("s", "t"));

    private BuiltTrajectory build(Merge merge) {
        return build(new PrefixMergingConfig(merge, null, null, null, null));
    }

    private BuiltTrajectory build(PrefixMergingConfig config) {
        return TrajectoryAssembler.build(new PrefixMergingBuilder(), calls.seal(END_OF_TURN), config);
    }

    private static List<List<String>> chains(BuiltTrajectory built) {
        return built.traces().stream()
                .map(trace -> Records.spans(trace).stream()
                        .map(span -> (String) span.get("completion_id"))
                        .toList())
                .toList();
    }

    private static Map<String, Object> span(BuiltTrajectory built, int trace, int index) {
        return Records.spans(built.traces().get(trace)).get(index);
    }

    private static List<String> excluded(BuiltTrajectory built) {
        return built.excluded().stream()
                .map(exclusion -> exclusion.completionId() + " " + exclusion.reason())
                .toList();
    }

    private static List<String> given(BuiltTrajectory built, int trace) {
        var all = built.traces().get(trace);
        var given = new java.util.ArrayList<String>();
        for (int i = 0; i < all.responseIds().length; i++) {
            if (all.lossMask()[i] == 0) {
                given.add(String.valueOf(all.responseIds()[i]));
            }
        }
        return given;
    }

    @Test
    void the_worked_example_is_one_trace_with_the_inserted_ids_masked() {
        calls.call("1 2 3", "4 5 9").logprobs(-.1, -.2, -.3).record();
        calls.call("1 2 3 4 5 9 6 7", "8 9").logprobs(-.4, -.5).record();

        var built = build(Merge.EXACT);

        assertThat(built.traces()).hasSize(1);
        Trace trace = built.traces().getFirst();
        assertThat(trace.promptIds()).containsExactly(1, 2, 3);
        assertThat(trace.responseIds()).containsExactly(4, 5, 9, 6, 7, 8, 9);
        assertThat(trace.lossMask()).containsExactly(1, 1, 1, 0, 0, 1, 1);
        assertThat(trace.responseLogprobs()).containsExactly(-.1, -.2, -.3, 0, 0, -.4, -.5);
    }

    @Test
    void the_worked_example_with_a_retokenized_turn_is_one_trace_under_same_text() {
        calls.call("1 2 3", "4 5 9").record();
        calls.call("1 2 3 45 9 6 7", "8 9").record();

        var built = build(Merge.SAME_TEXT);

        assertThat(chains(built)).containsExactly(List.of("1", "2"));
        assertThat(built.traces().getFirst().responseIds()).containsExactly(4, 5, 9, 6, 7, 8, 9);
        assertThat(span(built, 0, 1)).containsEntry("tail", "retokenized").containsEntry("context", "same_text");
    }

    @Test
    void the_worked_example_with_an_emptied_turn_is_two_traces_under_both() {
        calls.call("1 2 3", "4 5 9").record();
        calls.call("1 2 3 9 6 7", "8 9").record();
        var record = calls.seal(END_OF_TURN);

        for (var merge : List.of(Merge.EXACT, Merge.SAME_TEXT)) {
            var built = TrajectoryAssembler.build(
                    new PrefixMergingBuilder(), record, new PrefixMergingConfig(merge, null, null, null, null));
            assertThat(chains(built)).containsExactly(List.of("1"), List.of("2"));
            assertThat(span(built, 1, 0)).containsEntry("break", "rewritten");
            assertThat(built.traces().get(1).promptIds()).containsExactly(1, 2, 3, 9, 6, 7);
        }
    }

    @Test
    void e16_an_answer_asked_again_is_superseded_by_the_one_that_went_on() {
        calls.call("1", "4 9").record();
        calls.call("1 4 9 5", "6 9").record();
        calls.call("1 4 9 5", "7 9").record();
        calls.call("1 4 9 5 7 9 8", "2 9").record();

        var built = build(Merge.SAME_TEXT);

        assertThat(chains(built)).containsExactly(List.of("1", "3", "4"), List.of("2"));
        assertThat(span(built, 1, 0))
                .containsEntry("break", "same_prompt")
                .containsEntry("superseded_by", "3")
                .containsEntry("parent", "1");
    }

    @Test
    void e16_an_undelivered_answer_asked_again_is_left_out() {
        calls.call("1", "4 9").record();
        calls.call("1 4 9 5", "6 9").undelivered().record();
        calls.call("1 4 9 5", "7 9").record();
        calls.call("1 4 9 5 7 9 8", "2 9").record();

        var built = build(Merge.SAME_TEXT);

        assertThat(chains(built)).containsExactly(List.of("1", "3", "4"));
        assertThat(excluded(built)).containsExactly("2 undelivered");
    }

    @Test
    void e16_an_answer_that_was_dropped_for_a_nudge_is_its_own_trace() {
        calls.call("1", "4 9").record();
        calls.call("1 4 9 5", "6 9").record();
        calls.call("1 4 9 5 7", "8 9").record();
        calls.call("1 4 9 5 7 8 9 3", "2 9").record();

        var built = build(Merge.SAME_TEXT);

        assertThat(chains(built)).containsExactly(List.of("1", "3", "4"), List.of("2"));
        assertThat(span(built, 1, 0)).containsEntry("break", "fork");
    }

    @Test
    void e16_of_two_answers_the_one_that_covers_more_goes_on() {
        calls.call("1", "4 5 9").record();
        calls.call("1", "4").cut().record();
        calls.call("1 4 5 9 6", "7 9").record();

        assertThat(chains(build(Merge.SAME_TEXT))).containsExactly(List.of("1", "3"), List.of("2"));
    }

    @Test
    void e16_a_cut_undelivered_answer_gives_way_to_a_retokenized_one_that_covers_more() {
        calls.call("1", "4").cut().undelivered().record();
        calls.call("1", "4 5 6 9").record();
        calls.call("1 4 56 9 7", "8 9").record();

        var built = build(Merge.SAME_TEXT);

        assertThat(chains(built)).containsExactly(List.of("2", "3"));
        assertThat(excluded(built)).containsExactly("1 undelivered");
    }

    @Test
    void e16_of_two_undelivered_answers_the_one_that_went_on_is_included() {
        calls.call("1", "4 5 9").undelivered().record();
        calls.call("1", "4").cut().undelivered().record();
        calls.call("1 4 5 9 7", "8 9").record();

        var built = build(Merge.SAME_TEXT);

        assertThat(chains(built)).containsExactly(List.of("1", "3"));
        assertThat(excluded(built)).containsExactly("2 undelivered");
    }

    @Test
    void e16_an_undelivered_answer_that_went_on_is_included_by_continuation() {
        calls.call("1", "4 9").undelivered().record();
        calls.call("1 4 9 5", "6 9").record();

        var built = build(Merge.SAME_TEXT);

        assertThat(chains(built)).containsExactly(List.of("1", "2"));
        assertThat(span(built, 0, 0)).containsEntry("included_by", "continuation");
    }

    @Test
    void e16_a_sub_agent_that_starts_from_the_whole_context_is_a_trace_of_its_own() {
        calls.call("1", "4 9").record();
        calls.call("1 4 9 5", "6 9").label("subagent", "a").record();
        calls.call("1 4 9 7", "8 9").record();

        var built = build(Merge.SAME_TEXT);

        assertThat(chains(built)).containsExactly(List.of("1", "3"), List.of("2"));
        assertThat(span(built, 1, 0)).containsEntry("break", "role").doesNotContainKey("parent");
        assertThat(built.traces().get(1).metadata())
                .containsEntry("parent_trace", 0)
                .containsEntry("shared_prefix_tokens", 3);
    }

    @Test
    void e16_an_untrainable_answer_is_given_text_in_what_follows() {
        calls.call("1", "4 9").logprobs(-.1, Double.NaN).record();
        calls.call("1 4 9 5", "6 9").record();

        var built = build(Merge.SAME_TEXT);

        assertThat(chains(built)).containsExactly(List.of("2"));
        assertThat(built.traces().getFirst().promptIds()).containsExactly(1, 4, 9, 5);
        assertThat(excluded(built)).containsExactly("1 untrainable:bad_logprob");
    }

    @Test
    void e16_an_answer_cut_by_length_gets_its_end_from_the_template() {
        calls.call("1", "4 5").cut().record();
        calls.call("1 45 9 6", "7 9").record();

        var built = build(Merge.SAME_TEXT);

        assertThat(chains(built)).containsExactly(List.of("1", "2"));
        assertThat(given(built, 0)).containsExactly("9", "6");
    }

    @Test
    void e16_an_answer_stopped_by_the_callers_id_has_another_stop_than_its_echo() {
        calls.call("1", "4 5 8").stoppedByCallersId(8).record();
        calls.call("1 45 9 6", "7 9").record();

        var built = build(Merge.SAME_TEXT);

        assertThat(chains(built)).containsExactly(List.of("1", "2"));
        assertThat(given(built, 0)).containsExactly("6");
        assertThat(span(built, 0, 1)).containsEntry("stop_differs", true);
    }

    @Test
    void the_end_of_turn_is_part_of_the_config_in_force() {
        calls.call("1", "4 9").record();

        var built = TrajectoryAssembler.build(
                new PrefixMergingBuilder(),
                calls.seal(OptionalInt.empty(), RecordedCalls.DIGITS),
                PrefixMergingConfig.DEFAULT);

        assertThat(built.builderConfig())
                .containsEntry("end_of_turn_token_id", 9)
                .containsEntry("merge", "exact");
    }
}
