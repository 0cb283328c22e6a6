package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.wire.Json;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.SYSTEM_OUT)
class ResultTableTest {
    private static final String FAILED = """
            {"session_id": "%1$s", "status": "ERROR", "error": "%2$s",
             "trajectory": {"metadata": {"agent_result": {"log": {
               "stdout": "/node/%1$s/agent.stdout.log", "stderr": "/node/%1$s/agent.stderr.log", "last_lines": ["%3$s", "the end"]}}}}}
            """;

    private static List<String> print(String... results) throws Exception {
        var task = Json.MAPPER.readTree("{\"results\": [" + String.join(",", results) + "]}");
        var out = System.out;
        var printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true));
        try {
            ResultTable.print(task, new Output());
        } finally {
            System.setOut(out);
        }
        return printed.toString().lines().toList();
    }

    @Test
    void below_a_session_that_failed_stand_its_error_its_log_and_its_agents_last_words() throws Exception {
        assertThat(print(FAILED.formatted("one", "the agent exited with code 3", "no such module")))
                .endsWith(
                        "  the agent exited with code 3",
                        "  log: /node/one/agent.stderr.log",
                        "  log: /node/one/agent.stdout.log",
                        "  | no such module",
                        "  | the end");
    }

    @Test
    void one_agents_last_words_stand_for_those_of_all_with_the_same_error() throws Exception {
        var lines = print(
                FAILED.formatted("one", "the agent exited with code 3", "no such module"),
                FAILED.formatted("two", "the agent exited with code 3", "no such module"),
                FAILED.formatted("three", "the agent exited with code 4", "no such file"));
        assertThat(lines).filteredOn("  | no such module"::equals).hasSize(1);
        assertThat(lines).contains("  log: /node/two/agent.stderr.log", "  | no such file");
    }

    @Test
    void a_session_that_completed_is_one_row() throws Exception {
        assertThat(print("{\"session_id\": \"one\", \"status\": \"COMPLETED\", \"error\": null}"))
                .hasSize(2)
                .last()
                .asString()
                .startsWith("one      COMPLETED");
    }
}
