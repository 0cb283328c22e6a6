package dev.polar.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.spi.ExecResult;
import dev.polar.wire.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a result tells of an agent that failed: where its log is, and its last words. */
@Timeout(60)
class AgentLogTest {
    @TempDir
    Path temp;

    private TestNode node;

    @BeforeEach
    void start() throws IOException {
        node = new TestNode(temp.resolve("node"));
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private JsonNode log(DoubleRuntimes.Command agent) {
        return log(agent, node.task("s1"));
    }

    private JsonNode log(DoubleRuntimes.Command agent, TestNode.Task task) {
        node.runtimes.on("agent", env -> {
            node.call(env, new int[] {1}, new int[] {9}, true);
            return agent.run(env);
        });
        return node.run(task).at("/trajectory/metadata/agent_result/log");
    }

    private static ExecResult printed(int code, String stdout, String stderr) {
        return new ExecResult(code, false, false, stdout, stderr, stdout.length(), stderr.length());
    }

    private static List<String> lines(JsonNode log) {
        return Json.MAPPER.convertValue(
                log.path("last_lines"), Json.MAPPER.getTypeFactory().constructCollectionType(List.class, String.class));
    }

    @Test
    void an_agent_that_fails_tells_where_its_log_is_and_its_last_lines() {
        var log = log(env -> printed(3, "working\n", "Traceback:\n\n  no such module: numpy\n"));

        assertThat(log.path("stderr").asText())
                .isEqualTo(node.folder
                        .session("s1")
                        .logs()
                        .resolve("agent.stderr.log")
                        .toString());
        assertThat(log.path("stdout").asText()).endsWith("agent.stdout.log");
        assertThat(lines(log)).containsExactly("Traceback:", "  no such module: numpy");
    }

    @Test
    void one_that_complains_on_standard_output_is_quoted_from_there() {
        assertThat(lines(log(env -> printed(1, "fatal: nothing to do\n", " \n"))))
                .containsExactly("fatal: nothing to do");
    }

    @Test
    void one_that_does_its_work_tells_none() {
        assertThat(log(env -> printed(0, "", "a warning\n")).isMissingNode()).isTrue();
    }

    @Test
    void one_that_ran_out_of_time_tells_where_its_log_is() {
        var log = log(
                env -> {
                    new CountDownLatch(1).await();
                    return null;
                },
                node.task("s1").metadata(Map.of("agent_timeout", 0.2)));

        assertThat(log.path("stderr").asText()).endsWith("agent.stderr.log");
        assertThat(log.has("last_lines")).isFalse();
    }

    @Test
    void what_is_told_is_short_however_much_was_printed() {
        var much = IntStream.range(0, 100_000).mapToObj(i -> "line " + i).collect(Collectors.joining("\n"));
        assertThat(lines(log(env -> printed(1, "", much)))).hasSize(15).endsWith("line 99999");
    }

    @Test
    void a_line_without_end_is_cut() {
        var line = lines(log(env -> printed(1, "", "x".repeat(1 << 20))));
        assertThat(line).singleElement().asString().hasSize(401).endsWith("…");
    }

    @Test
    void colours_and_control_characters_are_left_out() {
        var lines = lines(log(
                env -> printed(1, "", "\u001b[31mred\u001b[0m\u0007 \u001b]0;title\u0007text\tend\r\nnext\u202e\n")));
        assertThat(lines).containsExactly("red text\tend", "next");
    }

    @Test
    void neither_the_sessions_key_nor_a_secret_of_the_task_is_told() {
        var spec = TestNode.Task.runtime(
                List.of(),
                Map.of(
                        "WANDB_API_KEY", "wandb-0123456789",
                        "DEPLOY_KEY", "-----BEGIN-----\nfirst-line-of-it\nsecond-line-of-it",
                        "GIT_AUTHOR_NAME", "somebody-known"),
                null);
        var lines = lines(log(
                env -> printed(
                        1,
                        "",
                        "using " + env.get("OPENAI_API_KEY") + " and wandb-0123456789 of somebody-known\n"
                                + "second-line-of-it\n"),
                node.task("s1").runtime(spec)));

        assertThat(lines).containsExactly("using [secret] and [secret] of somebody-known", "[secret]");
    }

    @Test
    void a_secret_is_found_also_where_its_line_is_cut() {
        var spec = TestNode.Task.runtime(List.of(), Map.of("TOKEN", "abcdefghijklmnop"), null);
        var lines = lines(log(
                env -> printed(1, "", "x".repeat(390) + "abcdefghijklmnop and more"),
                node.task("s1").runtime(spec)));
        assertThat(lines.getFirst()).doesNotContain("abcdef").contains("[secret]");
    }
}
