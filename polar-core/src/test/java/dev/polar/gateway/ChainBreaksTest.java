package dev.polar.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChainBreaksTest {
    @TempDir
    private Path temp;

    @Test
    void how_often_and_why_prompts_did_not_go_on_is_counted_for_each_harness() throws IOException {
        try (var node = new TestNode(temp.resolve("node"))) {
            assertThat(node.node.chainBreaks()).isEmpty();
            node.run(node.task("steady"));
            node.runtimes.on("agent", env -> {
                node.call(env, new int[] {1, 2}, new int[] {3, 9}, true);
                node.call(env, new int[] {1, 2, 7, 9, 4}, new int[] {5, 9}, true);
                return DoubleRuntimes.exit(0);
            });
            node.run(node.task("fickle"));
            node.runtimes.on("agent", env -> DoubleRuntimes.exit(0));
            node.run(node.task("silent"));
            assertThat(node.node.chainBreaks())
                    .isEqualTo(Map.of(
                            "double",
                            Map.of(
                                    "sessions", 2L,
                                    "completions", 4L,
                                    "chains", 3L,
                                    "breaks", Map.of("first", 2L, "rewritten", 1L))));
        }
    }
}
