package dev.polar.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.result.ResultException;
import dev.polar.result.SampleSessions;
import dev.polar.spi.SessionResult;
import dev.polar.spi.Trace;
import dev.polar.wire.Json;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportTest {
    @TempDir
    Path folder;

    private final List<SessionResult> sessions = new SampleSessions().all();

    private Tally export(Path file, ExportFormat format, ImageForm images, Selection selection) throws Exception {
        try (var export = new Export(file, format, FileType.JSONL, images, selection)) {
            for (var session : sessions) {
                export.add(new ByteArrayInputStream(Json.MAPPER.writeValueAsBytes(session)), session.sessionId());
            }
            export.finish();
            return export.tally();
        }
    }

    private List<JsonNode> rows(ExportFormat format, ImageForm images) throws Exception {
        var file = folder.resolve(format + ".jsonl");
        export(file, format, images, Selection.ALL);
        var rows = new ArrayList<JsonNode>();
        for (var line : Files.readAllLines(file)) {
            rows.add(Json.MAPPER.readTree(line));
        }
        return rows;
    }

    private List<Trace> traces() {
        return sessions.stream()
                .flatMap(session -> session.trajectory().traces().stream())
                .toList();
    }

    private static int[] ints(JsonNode list) {
        return Json.MAPPER.convertValue(list, int[].class);
    }

    private static double[] doubles(JsonNode list) {
        return Json.MAPPER.convertValue(list, double[].class);
    }

    @Test
    void rows_of_tokens_hold_every_id_and_logprob_and_ignore_what_was_not_sampled() throws Exception {
        var rows = rows(ExportFormat.TOKENS, null);
        assertThat(rows).hasSameSizeAs(traces());
        for (int i = 0; i < rows.size(); i++) {
            var trace = traces().get(i);
            int prompt = trace.promptIds().length;
            var ids = ints(rows.get(i).path("input_ids"));
            assertThat(ids)
                    .startsWith(trace.promptIds())
                    .endsWith(trace.responseIds())
                    .hasSize(prompt + trace.responseIds().length);
            var mask = ints(rows.get(i).path("loss_mask"));
            assertThat(mask).startsWith(new int[prompt]).endsWith(trace.lossMask());
            assertThat(ints(rows.get(i).path("labels")))
                    .isEqualTo(IntStream.range(0, ids.length)
                            .map(at -> mask[at] == 1 ? ids[at] : -100)
                            .toArray());
            assertThat(doubles(rows.get(i).path("logprobs")))
                    .startsWith(new double[prompt])
                    .endsWith(trace.responseLogprobs())
                    .hasSameSizeAs(ids);
        }
    }

    @Test
    void rows_of_messages_all_have_the_same_keys_and_say_what_differs_as_text() throws Exception {
        var rows = rows(ExportFormat.MESSAGES, null);
        assertThat(rows).hasSize(5);
        var messages = rows.getFirst().path("messages");
        assertThat(messages)
                .hasSize(7)
                .allSatisfy(message -> assertThat(message.fieldNames())
                        .toIterable()
                        .containsExactly("role", "content", "reasoning_content", "name", "tool_call_id", "tool_calls"));
        assertThat(messages.path(2).path("reasoning_content").asText()).isEqualTo("hm");
        assertThat(messages.at("/2/tool_calls/0/function/arguments").textValue())
                .isEqualTo("{\"at\": 0}");
        assertThat(Json.MAPPER
                        .readTree(rows.getFirst().path("tools").textValue())
                        .at("/0/function/name")
                        .asText())
                .isEqualTo("look");
        assertThat(rows.getFirst().path("prompt_messages").asInt()).isEqualTo(2);
    }

    @Test
    void pictures_are_left_out_of_plain_messages_and_stand_in_rows_as_asked() throws Exception {
        var tally = export(folder.resolve("plain"), ExportFormat.MESSAGES, null, Selection.ALL);
        assertThat(tally.leftOut()).isEqualTo(Map.of("not_only_text", 1));
        var inline = rows(ExportFormat.MESSAGES, ImageForm.INLINE).getLast();
        assertThat(inline.at("/messages/1/content/1/image_url/url").asText()).isEqualTo(SampleSessions.PICTURE);
        assertThat(inline.at("/messages/0/content/0/text").asText()).isEqualTo("be brief");
        var reference = rows(ExportFormat.MESSAGES, ImageForm.REFERENCE).getLast();
        var digest = reference.at("/messages/1/content/1/image_url/url").asText();
        assertThat(digest).matches("sha256:[0-9a-f]{64}");
        var image = rows(ExportFormat.TOKENS, ImageForm.INLINE).getLast().at("/images/0");
        assertThat(image.path("digest").asText()).isEqualTo(digest);
        assertThat(image.path("message_index").asInt()).isEqualTo(1);
        assertThat(image.path("url").asText()).isEqualTo(SampleSessions.PICTURE);
        assertThat(rows(ExportFormat.NEMO_GYM, ImageForm.INLINE)
                        .getLast()
                        .at("/responses_create_params/input/1/content/1/image_url")
                        .asText())
                .isEqualTo(SampleSessions.PICTURE);
    }

    @Test
    void a_trajectory_document_has_the_ids_of_each_step_and_the_prompt_it_was_sampled_from() throws Exception {
        var rows = rows(ExportFormat.ATIF, null);
        assertThat(rows).hasSameSizeAs(traces());
        var trace = traces().getFirst();
        var steps = rows.getFirst().path("steps");
        assertThat(steps)
                .extracting(step -> step.path("source").asText())
                .containsExactly("system", "user", "agent", "agent", "agent");
        var sampled = 0;
        for (var step : steps) {
            var metrics = step.path("metrics");
            if (metrics.isMissingNode()) {
                continue;
            }
            int start = metrics.path("prompt_tokens").asInt() - trace.promptIds().length;
            assertThat(ints(metrics.path("prompt_token_ids"))).startsWith(trace.promptIds());
            assertThat(ints(metrics.path("completion_token_ids")))
                    .isEqualTo(Arrays.copyOfRange(
                            trace.responseIds(),
                            start,
                            start + metrics.path("completion_tokens").asInt()));
            assertThat(doubles(metrics.path("logprobs")))
                    .hasSize(metrics.path("completion_tokens").asInt());
            sampled += metrics.path("completion_tokens").asInt();
        }
        assertThat(sampled).isEqualTo(Arrays.stream(trace.lossMask()).sum());
        assertThat(rows)
                .extracting(row -> row.at("/agent/name").asText())
                .containsExactly("shell", "helper", "shell", "shell", "shell", "shell");
        assertThat(steps.at("/2/observation/results/0/source_call_id").asText()).isEqualTo("call-0");
        assertThat(steps.at("/2/tool_calls/0/arguments/at").asInt()).isZero();
    }

    @Test
    void slimes_samples_have_its_fields_and_its_words_for_how_it_ended() throws Exception {
        var rows = rows(ExportFormat.SLIME, null);
        assertThat(rows)
                .extracting(row -> row.path("status").asText())
                .containsExactly("completed", "completed", "failed", "completed", "completed", "completed");
        assertThat(rows).extracting(row -> row.path("group_index").asInt()).containsExactly(0, 0, 0, 1, 1, 1);
        assertThat(rows).extracting(row -> row.path("index").asInt()).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(rows.get(2).path("remove_sample").asBoolean()).isTrue();
        var first = rows.getFirst();
        int length = first.path("response_length").asInt();
        assertThat(first.path("loss_mask")).hasSize(length);
        assertThat(first.path("rollout_log_probs")).hasSize(length);
        assertThat(first.path("tokens")).hasSize(20 + length);
        assertThat(first.path("weight_versions"))
                .hasSize(3)
                .allMatch(version -> version.asText().equals("7"));
        assertThat(first.path("response").asText()).isEqualTo("done");
    }

    @Test
    void nemo_gym_gets_prompts_that_go_on_from_one_another_and_refuses_a_session_by_name() throws Exception {
        var tally = export(folder.resolve("gym"), ExportFormat.NEMO_GYM, null, Selection.ALL);
        assertThat(tally.refused()).isEqualTo(Map.of("sk-polar-rewritten", "tails_not_exact"));
        assertThat(tally.leftOut()).isEqualTo(Map.of("tails_not_exact", 2, "not_trainable", 1));
        var unwanted = new Selection(0.5, null, Set.of(), Set.of(), false);
        assertThat(export(folder.resolve("without"), ExportFormat.NEMO_GYM, null, unwanted)
                        .refused())
                .isEmpty();
        var rows = rows(ExportFormat.NEMO_GYM, null);
        assertThat(rows)
                .extracting(row -> row.path("session_id").asText())
                .containsExactly("sk-polar-two", "sk-polar-two", "sk-polar-picture");
        var trace = traces().getFirst();
        var seen = new int[0];
        for (var item : rows.getFirst().at("/response/output")) {
            if (item.has("generation_token_ids")) {
                var prompt = ints(item.path("prompt_token_ids"));
                assertThat(Arrays.copyOf(prompt, seen.length)).isEqualTo(seen);
                seen = IntStream.concat(IntStream.of(prompt), IntStream.of(ints(item.path("generation_token_ids"))))
                        .toArray();
            }
        }
        assertThat(seen).endsWith(trace.responseIds()).startsWith(trace.promptIds());
        assertThat(rows)
                .extracting(row -> row.path("_ng_rollout_index").asInt())
                .containsExactly(0, 1, 0);
    }

    @Test
    void what_is_not_wanted_is_counted_by_the_reason() throws Exception {
        var only = new Selection(0.5, null, Set.of("COMPLETED"), Set.of("main"), false);
        var tally = export(folder.resolve("some"), ExportFormat.TOKENS, null, only);
        assertThat(tally.leftOut()).isEqualTo(Map.of("status", 1, "role", 1, "reward", 2));
        assertThat(tally.rows()).isEqualTo(2);
        assertThat(tally.sessions()).isEqualTo(5);
        assertThat(tally.sessionsWithoutTraces()).isEqualTo(1);
        var trainable = new Selection(null, null, Set.of(), Set.of(), true);
        assertThat(export(folder.resolve("trained"), ExportFormat.TOKENS, null, trainable)
                        .leftOut())
                .isEqualTo(Map.of("not_trainable", 1));
    }

    @Test
    void the_tally_says_how_many_tokens_are_in_the_rows() throws Exception {
        var tally = export(folder.resolve("all"), ExportFormat.TOKENS, null, Selection.ALL);
        assertThat(tally.tokens())
                .isEqualTo(traces().stream()
                        .mapToInt(trace -> trace.promptIds().length + trace.responseIds().length)
                        .sum());
        assertThat(tally.trainedTokens())
                .isEqualTo(traces().stream()
                        .flatMapToInt(trace -> IntStream.of(trace.lossMask()))
                        .sum());
        assertThat((double) tally.trainedTokens()).isCloseTo(77, within(0.0));
    }

    @Test
    void an_export_that_fails_leaves_what_was_there_and_nothing_else() throws Exception {
        var file = Files.writeString(folder.resolve("kept.jsonl"), "before");
        var whole = Json.MAPPER.writeValueAsBytes(sessions.getFirst());
        assertThatThrownBy(() -> {
                    try (var export = new Export(file, ExportFormat.TOKENS, FileType.JSONL, null, Selection.ALL)) {
                        export.add(new ByteArrayInputStream(whole, 0, whole.length - 300), "cut");
                        export.finish();
                    }
                })
                .isInstanceOf(ResultException.class);
        assertThat(file).hasContent("before");
        try (var left = Files.list(folder)) {
            assertThat(left).containsExactly(file);
        }
    }

    @Test
    void a_row_has_the_columns_that_its_format_declares() throws Exception {
        for (var format : ExportFormat.values()) {
            var declared = new TreeSet<>(
                    format.rows(null).columns().stream().map(Column::name).toList());
            for (var row : rows(format, null)) {
                var names = new TreeSet<String>();
                row.fieldNames().forEachRemaining(names::add);
                assertThat(names).as(format.toString()).isEqualTo(declared);
            }
        }
    }
}
