package dev.polar.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.polar.topology.GatewayConfig.Fsync;
import dev.polar.topology.GatewayConfig.Persistence;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class SessionRecorderTest {
    private final RecordedCalls calls = new RecordedCalls(
            new RecordStore(null, new Persistence(false, 64, 1, 16, 1, 0.0, Fsync.NONE)).create("s", "t"));

    private String written() throws IOException {
        var out = new ByteArrayOutputStream();
        calls.recorder().writeCompletions("n1", out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private JsonNode first() throws IOException {
        return RecordedCalls.json(written()).path("completions").path(0);
    }

    @Test
    void a_completion_record_has_the_canonical_shape() throws IOException {
        var metadata = JsonNodeFactory.instance.objectNode().put("policy_version", 3);
        calls.call("1 2", "3 9")
                .texts("fish", "<end>")
                .metadata(metadata)
                .picture(1, "sha256:aa")
                .record();
        calls.seal(9);

        var all = RecordedCalls.json(written());
        assertThat(all.path("session_id").textValue()).isEqualTo("s");
        assertThat(all.path("node_id").textValue()).isEqualTo("n1");
        var record = first();
        assertThat(record.path("completion_id").textValue()).isEqualTo("1");
        assertThat(record.path("timestamp").doubleValue()).isEqualTo(1001.0);
        var choice = record.path("response").path("choices").path(0);
        assertThat(choice.path("input_token_ids").toString()).isEqualTo("[1,2]");
        assertThat(choice.path("token_ids").toString()).isEqualTo("[3,9]");
        assertThat(choice.path("message").path("content").textValue()).isEqualTo("answer 1");
        assertThat(choice.path("finish_reason").textValue()).isEqualTo("stop");
        var token = choice.path("logprobs").path("content").path(0);
        assertThat(token.path("token").textValue()).isEqualTo("fish");
        assertThat(token.path("token_id").intValue()).isEqualTo(3);
        assertThat(token.path("logprob").doubleValue()).isEqualTo(RecordedCalls.logprobs(1, 2)[0]);
        assertThat(record.path("response")
                        .path("usage")
                        .path("completion_tokens")
                        .intValue())
                .isEqualTo(2);
        assertThat(record.path("metadata").toString())
                .isEqualTo(
                        "{\"sequence\":1,\"api_type\":\"openai_chat\",\"delivered\":true,\"role\":\"main\",\"agent\":null,"
                                + "\"images\":[{\"position\":1,\"digest\":\"sha256:aa\",\"media_type\":\"image/png\"}],"
                                + "\"untrainable\":null,\"policy_version\":3,\"tails\":[],\"headers\":{},\"streamed\":false}");
    }

    @Test
    void logprobs_are_written_bit_for_bit() throws IOException {
        double[] odd = {-1.8095355033874512, -5e-324, -0.0, 0.0, -1e300, -0.1, -Math.nextUp(1.0)};
        calls.call("1", "1 2 3 4 5 6 7").logprobs(odd).record();

        var content = first().path("response")
                .path("choices")
                .path(0)
                .path("logprobs")
                .path("content");
        for (int i = 0; i < odd.length; i++) {
            assertThat(Double.doubleToRawLongBits(
                            content.path(i).path("logprob").doubleValue()))
                    .isEqualTo(Double.doubleToRawLongBits(odd[i]));
        }
    }

    @Test
    void e10_a_bad_logprob_is_untrainable_and_the_json_is_valid() throws IOException {
        calls.call("1", "2 3 4 9")
                .logprobs(Double.NaN, Double.NEGATIVE_INFINITY, 0.3, -0.1)
                .record();

        assertThat(written()).doesNotContain("NaN").doesNotContain("Infinity");
        var record = first();
        assertThat(record.path("metadata").path("untrainable").textValue()).isEqualTo("bad_logprob");
        var content =
                record.path("response").path("choices").path(0).path("logprobs").path("content");
        assertThat(content.path(0).path("logprob").isNull()).isTrue();
        assertThat(content.path(1).path("logprob").isNull()).isTrue();
        assertThat(content.path(2).path("logprob").doubleValue()).isEqualTo(0.3);
    }

    @Test
    void e03_ids_without_logprobs_are_untrainable() {
        calls.call("1", "2 9").logprobs((double[]) null).record();

        assertThat(calls.seal(9).completions().getFirst().untrainable()).contains("no_logprobs");
    }

    @Test
    void b01_ids_that_do_not_add_up_to_usage_are_untrainable() {
        calls.call("1", "2 9").usage(3).record();

        assertThat(calls.seal(9).completions().getFirst().untrainable()).contains("usage_mismatch");
    }

    @Test
    void b03_an_answer_without_a_list_of_ids_is_not_an_empty_one() throws IOException {
        calls.call("1", "2 9").withoutIds().record();
        calls.call("1", "").record();

        var record = calls.seal(9);
        assertThat(record.completions().get(0).untrainable()).contains("no_ids");
        assertThat(record.completions().get(1).untrainable()).isEmpty();
        var written = RecordedCalls.json(written()).path("completions");
        assertThat(written.path(0)
                        .path("response")
                        .path("choices")
                        .path(0)
                        .path("token_ids")
                        .isNull())
                .isTrue();
        assertThat(written.path(1)
                        .path("response")
                        .path("choices")
                        .path(0)
                        .path("token_ids")
                        .toString())
                .isEqualTo("[]");
    }

    @Test
    void more_logprobs_than_ids_are_untrainable_and_all_on_record() throws IOException {
        calls.call("1", "2 9").logprobs(-.1, -.2, -.3).record();

        assertThat(first().path("metadata").path("untrainable").textValue()).isEqualTo("length_mismatch");
        assertThat(first().path("response")
                        .path("choices")
                        .path(0)
                        .path("logprobs")
                        .path("content"))
                .hasSize(3);
    }

    @Test
    void e20_a_call_cut_off_without_an_id_is_a_failed_call_and_with_ids_an_undelivered_completion() {
        calls.call("1", "").unanswered().record();
        calls.call("1", "2 3").unanswered().undelivered().record();
        calls.recorder().failedCall();

        var record = calls.seal(9);
        assertThat(record.failedCalls()).isEqualTo(2);
        assertThat(record.completions()).hasSize(1);
        assertThat(record.completions().getFirst().delivered()).isFalse();
    }

    @Test
    void e20_nothing_is_appended_to_a_sealed_record() {
        var late = calls.call("1", "2 9");
        calls.call("1", "3 9").undelivered().record();
        calls.seal(9);

        assertThatThrownBy(late::record)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("sealed");
        assertThatThrownBy(calls.recorder()::failedCall).isInstanceOf(IllegalStateException.class);
        calls.recorder().delivered("2");
        assertThat(calls.recorder().completionCount()).isEqualTo(1);
        assertThat(calls.recorder()
                        .sealed()
                        .orElseThrow()
                        .completions()
                        .getFirst()
                        .delivered())
                .isFalse();
    }

    @Test
    void the_end_of_turn_is_the_id_that_ends_most_answers_that_the_template_ended() {
        calls.call("1", "2 9").record();
        calls.call("1", "2 9").record();
        calls.call("1", "2 7").record();
        calls.call("1", "2 5").cut().record();
        calls.call("1", "2 5").cut().record();
        calls.call("1", "2 5").cut().record();

        assertThat(calls.seal(OptionalInt.empty(), Detokenizer.NONE).endOfTurnTokenId())
                .hasValue(9);
    }

    @Test
    void e17_a_stop_that_the_caller_asked_for_teaches_nothing() {
        calls.call("1", "4 5").stoppedByString("X").record();
        calls.call("1", "4 8").stoppedByCallersId(8).record();

        assertThat(calls.seal(OptionalInt.empty(), Detokenizer.NONE).endOfTurnTokenId())
                .isEmpty();
    }

    @Test
    void a_tie_teaches_nothing() {
        calls.call("1", "2 9").record();
        calls.call("1", "2 7").record();

        assertThat(calls.seal(OptionalInt.empty(), Detokenizer.NONE).endOfTurnTokenId())
                .isEmpty();
    }

    @Test
    void another_end_of_turn_decides_the_tails_anew() {
        calls.call("1", "4 5 7").record();
        calls.call("1 45 7 6", "8 7").record();
        var nine = calls.seal(9);

        var seven = calls.recorder().decideAgain(OptionalInt.of(7), RecordedCalls.DIGITS);

        assertThat(nine.completions().get(1).retokenizedOf()).isEmpty();
        assertThat(seven.completions().get(1).retokenizedOf()).containsExactly("1");
        assertThat(calls.recorder().sealed()).contains(seven);
    }

    @Test
    void tails_are_told_by_the_texts_seen_where_the_engine_tells_none() throws IOException {
        calls.call("1", "4 5 9").texts("fish", "ing", "<end>").record();
        calls.call("1", "45 9").texts("fishing", "<end>").record();
        calls.call("1 45 9 6", "7 9").texts("x", "<end>").record();
        calls.call("1 77 9 6", "7 9").texts("x", "<end>").record();

        var record = calls.seal(OptionalInt.of(9), Detokenizer.NONE);

        assertThat(record.completions().get(2).retokenizedOf()).containsExactly("1");
        assertThat(record.completions().get(3).retokenizedOf()).isEmpty();
        assertThat(RecordedCalls.json(written())
                        .path("completions")
                        .path(2)
                        .path("metadata")
                        .path("tails")
                        .toString())
                .isEqualTo("[{\"of\":\"1\",\"class\":\"retokenized\"}]");
    }

    @Test
    void an_id_that_stands_for_a_part_of_a_character_tells_no_text() {
        calls.call("1", "4 5 9").texts("", "日", "<end>").record();
        calls.call("1", "6 9").texts("日", "<end>").record();
        calls.call("1 6 9 2", "7 9").texts("x", "<end>").record();

        assertThat(calls.seal(OptionalInt.of(9), Detokenizer.NONE)
                        .completions()
                        .get(2)
                        .retokenizedOf())
                .isEmpty();
    }

    @Test
    void e18_a_text_that_ends_inside_a_token_is_another_text() {
        var texts = Map.of(1, "fish", 2, "ing", 3, " ne", 4, "fishing", 5, " net");
        Detokenizer engine = sequences -> Optional.of(sequences.stream()
                .map(ids -> Arrays.stream(ids).mapToObj(texts::get).reduce("", String::concat))
                .toList());
        calls.call("7", "1 2 3").cut().record();
        calls.call("7 4 5 9 8", "1 9").record();
        calls.call("7 4 3 9 8", "1 9").record();

        var record = calls.seal(OptionalInt.of(9), engine);

        assertThat(record.completions().get(1).retokenizedOf()).isEmpty();
        assertThat(record.completions().get(2).retokenizedOf()).containsExactly("1");
    }

    @Test
    void a_text_that_holds_the_replacement_character_is_never_the_same() {
        Detokenizer engine = sequences ->
                Optional.of(sequences.stream().map(ids -> "a\uFFFD").toList());
        calls.call("1", "4 5 9").record();
        calls.call("1 45 9 6", "8 9").record();

        assertThat(calls.seal(OptionalInt.of(9), engine).completions().get(1).retokenizedOf())
                .isEmpty();
    }

    @Test
    void each_sequence_is_put_into_text_once() {
        var asked = new java.util.ArrayList<List<Integer>>();
        Detokenizer engine = sequences -> {
            sequences.forEach(ids -> asked.add(Arrays.stream(ids).boxed().toList()));
            return RecordedCalls.DIGITS.texts(sequences);
        };
        calls.call("1", "4 5 9").record();
        calls.call("1", "4 5 9").record();
        for (int i = 10; i < 30; i++) {
            calls.call("1 45 9 " + i, "8 9").record();
        }
        var record = calls.seal(OptionalInt.of(9), engine);

        assertThat(asked).doesNotHaveDuplicates().containsExactlyInAnyOrder(List.of(4, 5), List.of(45));
        assertThat(record.completions().getLast().retokenizedOf()).containsExactly("1", "2");
    }

    @Test
    void e19_prompts_that_differ_in_a_picture_alone_are_no_prefixes_of_each_other() {
        calls.call("1 50 50 2", "4 9").picture(1, "sha256:aa").record();
        calls.call("1 50 50 2 4 9 5", "6 9").picture(1, "sha256:bb").record();
        calls.call("1 50 50 2 4 9 5", "6 9").picture(1, "sha256:aa").record();

        var completions = calls.seal(9).completions();

        assertThat(completions.get(1).extendsPromptOf(completions.get(0))).isFalse();
        assertThat(completions.get(2).extendsPromptOf(completions.get(0))).isTrue();
        assertThat(completions.get(1).prompt()).isNotSameAs(completions.get(2).prompt());
        assertThat(completions.get(1).promptIds()).containsExactly(1, 50, 50, 2, 4, 9, 5);
    }

    @Test
    void memory_grows_with_the_distinct_ids_alone() {
        var recorder = (TreeRecorder) calls.recorder();
        var ids = new int[60_000];
        Arrays.setAll(ids, i -> i % 50_000);
        for (int turn = 1; turn <= 50; turn++) {
            int end = 1200 * turn;
            calls.call(Arrays.copyOf(ids, end - 200), Arrays.copyOfRange(ids, end - 200, end))
                    .record();
            assertThat(recorder.size().ids()).isEqualTo(end);
        }
        assertThat(recorder.size().nodes()).isLessThanOrEqualTo(2 * 50 + 1);
    }

    @Test
    void e13_the_versions_at_dispatch_and_at_the_end_are_on_record() throws IOException {
        calls.call("1", "2 9")
                .metadata(JsonNodeFactory.instance
                        .objectNode()
                        .put("policy_version", "v1")
                        .put("policy_version_end", "v2"))
                .record();

        assertThat(first().path("metadata").path("policy_version").textValue()).isEqualTo("v1");
        assertThat(first().path("metadata").path("policy_version_end").textValue())
                .isEqualTo("v2");
    }

    @Test
    void completions_are_listed_in_the_order_in_which_requests_were_read() throws IOException {
        var first = calls.call("1", "2 9");
        var second = calls.call("1", "3 9");
        second.record();
        first.record();

        assertThat(RecordedCalls.json(written()).path("completions").findValuesAsText("completion_id"))
                .containsExactly("1", "2");
    }

    @Test
    void a_classifier_that_does_not_label_every_call_is_an_error() {
        calls.call("1", "2 9").record();

        assertThatThrownBy(() -> calls.recorder().seal(facts -> List.of(), OptionalInt.of(9), Detokenizer.NONE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("0 labels for 1 calls");
    }
}
