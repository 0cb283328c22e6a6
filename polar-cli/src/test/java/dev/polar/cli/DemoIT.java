package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** {@code polar demo}, against SGLang's dialect and with tokens that are not the tokenizer's own choice. */
@Isolated
class DemoIT {
    private final Path folder = KeptFolder.of(DemoIT.class);

    @Test
    void the_demo_shows_rewards_of_both_kinds_and_leaves_its_files() throws Exception {
        var demo = PolarProcess.run(
                folder, Map.of(), "demo", "--engine", "sglang", "--non-canonical", "0.1", "--dir", "demo", "--json");

        assertThat(demo.status()).as(demo.err()).isZero();
        var results = demo.json().path("task").path("results");
        assertThat(results)
                .hasSize(4)
                .extracting(result -> ResultTable.reward(result).orElseThrow())
                .containsOnly(0.0, 1.0);
        assertThat(results).allSatisfy(result -> {
            var stats = result.at("/trajectory/metadata/reconstruction_stats");
            assertThat(stats.isObject()).isTrue();
            assertThat(result.path("trajectory").path("traces"))
                    .isNotEmpty()
                    .allSatisfy(trace -> assertThat(trace.path("loss_mask")).anyMatch(mask -> mask.asInt() == 1));
        });
        assertThat(demo.json().path("problems").isArray()).isTrue();
        assertThat(demo.json().path("problems")).isEmpty();
        assertThat(demo.err()).contains("completed");
        try (var kept = Files.list(folder.resolve("demo/results/task_calculator"))) {
            assertThat(kept).hasSize(4);
        }
        assertThat(folder.resolve("demo/server/logs/server.log")).isRegularFile();
        assertThat(folder.resolve("demo/server/out"))
                .as("the application server's own cache")
                .doesNotExist();
    }

    @Test
    void a_harness_without_a_task_is_one_line() throws Exception {
        var refused = PolarProcess.run(folder, Map.of(), "demo", "--harness", "nobody");
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err())
                .contains(
                        "the demo has no task for 'nobody' (known: shell, claude_code, codex, gemini_cli, opencode, pi, qwen_code)");
    }
}
