package dev.polar.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.spi.TaskRequest;
import dev.polar.topology.TopologyLoader;
import dev.polar.wire.BindingException;
import dev.polar.wire.NotJsonException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TaskBindingTest {
    private static final String SHELL =
            "\"agent\": {\"harness\": \"shell\", \"custom_shell\": {\"command\": \"true\"}}";

    @TempDir
    Path folder;

    private TaskRequest bind(String topology, String body) throws IOException {
        var file = Files.writeString(folder.resolve("t.yaml"), topology + "\ngateway: {nodes: [{id: n}]}\n");
        var loaded = TopologyLoader.load(file, key -> Optional.empty(), name -> Optional.empty(), warning -> {});
        return new TaskBinding(loaded).bind(body.getBytes(StandardCharsets.UTF_8));
    }

    private static String task(String more) {
        return "{\"task_id\": \"t\", \"instruction\": \"x\"" + more + "}";
    }

    @Test
    void an_unknown_key_is_refused_with_its_path_and_the_nearest_known_one() {
        assertThatThrownBy(
                        () -> bind(
                                "",
                                task(
                                        ", " + SHELL
                                                + ", \"runtime\": {\"backend\": \"local\", \"prepare\": [{\"type\": \"exec\", \"command\": \"true\", \"cwdd\": \"/\"}]}")))
                .isInstanceOf(BindingException.class)
                .hasMessageContaining("runtime.prepare[0].cwdd")
                .hasMessageContaining("did you mean 'cwd'");
    }

    @Test
    void unknown_keys_are_left_out_where_the_operator_only_wants_a_warning() throws Exception {
        var request = bind(
                "rollout: {unknown_keys: warn}",
                task(
                        ", " + SHELL
                                + ", \"num_sample\": 2, \"runtime\": {\"backend\": \"local\", \"cpu\": 1, \"prepare\": [{\"type\": \"exec\", \"command\": \"true\", \"x\": {}}]}"));
        assertThat(request.numSamples()).isEqualTo(1);
        assertThat(request.runtime().prepare()).hasSize(1);
    }

    @Test
    void a_bad_value_is_refused_also_where_unknown_keys_are_not() {
        assertThatThrownBy(() -> bind("rollout: {unknown_keys: warn}", task(", " + SHELL + ", \"num_samples\": 0")))
                .isInstanceOf(BindingException.class)
                .hasMessageContaining("num_samples");
    }

    @Test
    void max_steps_is_known_and_ignored() throws Exception {
        assertThat(bind("", task(", \"max_steps\": 5, " + SHELL)).taskId()).isEqualTo("t");
    }

    @Test
    void an_explicit_null_is_an_absent_key() throws Exception {
        var request = bind(
                "",
                task(
                        ", " + SHELL
                                + ", \"num_samples\": null, \"evaluator\": null, \"runtime\": null, \"metadata\": null, \"builder\": null, \"timeout_seconds\": null"));
        assertThat(request.numSamples()).isEqualTo(1);
        assertThat(request.timeoutSeconds()).isEqualTo(600);
        assertThat(request.builder().strategy()).isEqualTo("per_request");
        assertThat(request.metadata()).isEmpty();
    }

    @Test
    void free_form_maps_keep_what_they_hold() throws Exception {
        var request = bind("", task(", " + SHELL + ", \"metadata\": {\"a\": null, \"b\": [1, 2.0, {\"c\": true}]}"));
        assertThat(request.metadata())
                .containsEntry("a", null)
                .containsEntry("b", java.util.List.of(1, 2.0, Map.of("c", true)));
    }

    @Test
    void defaults_fill_what_a_task_leaves_out_and_change_nothing_that_it_says() throws Exception {
        var defaults = """
                defaults:
                  timeout_seconds: 30
                  runtime: {backend: local, env: {A: "1", B: "1"}}
                  builder: {config: {merge: any}}
                  evaluator: {strategy: session_completed}
                """;
        var request = bind(
                defaults,
                task(", " + SHELL
                        + ", \"runtime\": {\"env\": {\"B\": \"2\"}}, \"builder\": {\"strategy\": \"prefix_merging\"}"));
        assertThat(request.timeoutSeconds()).isEqualTo(30);
        assertThat(request.runtime().backend()).isEqualTo("local");
        assertThat(request.runtime().env()).containsEntry("A", "1").containsEntry("B", "2");
        assertThat(request.builder().config()).containsEntry("merge", "any");
        assertThat(request.evaluator().strategy()).isEqualTo("session_completed");
    }

    @Test
    void what_belongs_to_another_strategy_or_harness_is_not_taken_over() throws Exception {
        var defaults = """
                defaults:
                  agent: {harness: claude_code, model_name: m, settings: {max_turns: 3}}
                  evaluator: {strategy: test_on_output, config: {test_command: pytest}}
                """;
        var request = bind(defaults, task(", " + SHELL + ", \"evaluator\": {\"strategy\": \"session_completed\"}"));
        assertThat(request.agent().name()).isEqualTo("shell");
        assertThat(request.agent().modelName()).isEqualTo("m");
        assertThat(request.agent().settings()).isEmpty();
        assertThat(request.evaluator().config()).isEmpty();
    }

    @Test
    void a_preset_is_named_by_the_harness() throws Exception {
        var presets = """
                presets:
                  quick:
                    agent: {harness: claude_code, settings: {max_turns: 3}}
                    timeout_seconds: 20
                """;
        var request = bind(presets, task(", \"agent\": {\"harness\": \"preset:quick\", \"model_name\": \"m\"}"));
        assertThat(request.agent().harness()).isEqualTo("claude_code");
        assertThat(request.agent().modelName()).isEqualTo("m");
        assertThat(request.timeoutSeconds()).isEqualTo(20);
        assertThatThrownBy(() -> bind(presets, task(", \"agent\": {\"harness\": \"preset:quik\"}")))
                .hasMessageContaining("agent.harness")
                .hasMessageContaining("did you mean 'quick'");
    }

    @Test
    void what_is_no_task_is_refused_by_kind() {
        assertThatThrownBy(() -> bind("", "{not json")).isInstanceOf(NotJsonException.class);
        assertThatThrownBy(() -> bind("", "")).isInstanceOf(NotJsonException.class);
        assertThatThrownBy(() -> bind("", "[1]")).isExactlyInstanceOf(BindingException.class);
        assertThatThrownBy(() ->
                        bind("", task(", " + SHELL + ", \"runtime\": {\"backend\": \"local\", \"prepare\": [null]}")))
                .hasMessageContaining("runtime.prepare[0]");
    }

    @Test
    void an_id_that_no_file_or_address_can_hold_is_refused() {
        assertThatThrownBy(() -> bind("", "{\"task_id\": \"t\\ud800\", \"instruction\": \"x\", " + SHELL + "}"))
                .isInstanceOf(BindingException.class)
                .hasMessageContaining("task_id")
                .hasMessageContaining("surrogate");
    }

    @Test
    void a_whole_surrogate_pair_in_an_id_is_a_character() throws Exception {
        var request = bind("", "{\"task_id\": \"t\\ud83c\\udf89\", \"instruction\": \"x\", " + SHELL + "}");
        assertThat(request.taskId()).isEqualTo("t\ud83c\udf89");
    }

    @ParameterizedTest
    @CsvSource({
        "'{\"A=B\": \"1\"}', A=B",
        "'{\"\": \"1\"}', must not be empty",
        "'{\"A\\u0000\": \"1\"}', NUL",
        "'{\"A\": \"x\\u0000y\"}', env.A"
    })
    void a_variable_that_no_process_can_be_given_is_refused(String env, String said) {
        assertThatThrownBy(() ->
                        bind("", task(", " + SHELL + ", \"runtime\": {\"backend\": \"local\", \"env\": " + env + "}")))
                .isInstanceOf(BindingException.class)
                .hasMessageContaining("runtime.env")
                .hasMessageContaining(said);
    }
}
