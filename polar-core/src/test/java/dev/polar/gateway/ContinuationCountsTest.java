package dev.polar.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContinuationCountsTest {
    @TempDir
    private Path temp;

    @Test
    void turns_that_went_on_and_what_kept_the_others_from_it_are_counted_in_total_and_by_harness() throws IOException {
        try (var node = new TestNode(temp.resolve("node"))) {
            assertThat(node.node.continuation())
                    .containsEntry("mode", "plain")
                    .containsEntry("turns", 0L)
                    .containsEntry("harnesses", Map.of());
            node.runtimes.on("agent", env -> {
                node.call(env, new int[] {1, 2}, new int[] {3, 9}, true, "{\"continuation\": \"first\"}");
                node.call(env, new int[] {1, 2, 3, 9, 4}, new int[] {5, 9}, true, "{\"continuation\": \"spliced\"}");
                node.call(
                        env,
                        new int[] {1, 7},
                        new int[] {5, 9},
                        true,
                        "{\"continuation\": \"none\", \"continuation_reason\": \"history_edited\"}");
                return DoubleRuntimes.exit(0);
            });
            node.run(node.task("one"));
            node.run(node.task("two"));
            node.runtimes.on("agent", env -> DoubleRuntimes.exit(0));
            node.run(node.task("silent"));
            var counts =
                    Map.of("sessions", 2L, "turns", 6L, "exact", 2L, "chains", 4L, "why", Map.of("history_edited", 2L));
            assertThat(node.node.continuation())
                    .containsAllEntriesOf(counts)
                    .containsEntry("harnesses", Map.of("double", counts));
        }
    }
}
