package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.topology.TopologyException;
import dev.polar.wire.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskFileTest {
    @TempDir
    Path folder;

    private TaskFile read(String text) throws IOException {
        return TaskFile.read(Files.writeString(folder.resolve("task.yaml"), text));
    }

    private static ObjectNode failed(String... errors) {
        var task = Json.MAPPER.createObjectNode().put("status", "completed");
        for (var error : errors) {
            task.withArray("results").addObject().put("status", "ERROR").put("error", error);
        }
        return task;
    }

    @Test
    void paths_in_a_task_start_at_its_folder() throws IOException {
        var task = read("""
                task_id: t
                agent: {skills_path: skills}
                runtime:
                  prepare: [{type: upload_file, source: a/b.txt, target: /polar/session/b.txt}]
                  eval_prepare: [{type: upload_dir, source: /data, target: /polar/session/data}]
                """);
        assertThat(task.body().at("/runtime/prepare/0/source").asText())
                .isEqualTo(folder.resolve("a/b.txt").toString());
        assertThat(task.body().at("/runtime/eval_prepare/0/source").asText()).isEqualTo("/data");
        assertThat(task.body().at("/agent/skills_path").asText())
                .isEqualTo(folder.resolve("skills").toString());
    }

    @Test
    void a_task_may_be_json() throws IOException {
        assertThat(read("{\n\t\"task_id\": \"t\", \"num_samples\": 3}")
                        .body()
                        .path("num_samples")
                        .asInt())
                .isEqualTo(3);
    }

    @Test
    void environment_variables_in_commands_are_the_shells() throws IOException {
        assertThat(read("agent: {custom_shell: {command: 'echo ${HOME}'}}")
                        .body()
                        .at("/agent/custom_shell/command")
                        .asText())
                .isEqualTo("echo ${HOME}");
    }

    @Test
    void a_missing_upload_is_named_with_its_line() throws IOException {
        var task = read("""
                task_id: t
                runtime:
                  prepare:
                    - {type: exec, command: "true"}
                    - type: upload_file
                      source: none.txt
                      target: /polar/session/none.txt
                """);
        assertThatThrownBy(task::checkSources)
                .isInstanceOf(TopologyException.class)
                .hasMessageContaining("task.yaml:6: runtime.prepare[1].source: there is no '")
                .hasMessageContaining("none.txt' to upload");
    }

    @Test
    void a_servers_refusal_gets_its_line() throws IOException {
        var task = read("task_id: t\nagent:\n  modle_name: x\n");
        assertThat(task.refusal("agent.modle_name: unknown key 'modle_name'"))
                .hasMessage(folder.resolve("task.yaml") + ":3: agent.modle_name: unknown key 'modle_name'");
        assertThat(task.refusal("agent.harness: is required"))
                .hasMessage(folder.resolve("task.yaml") + ":2: agent.harness: is required");
        assertThat(task.refusal("task t is running: cancel it first"))
                .hasMessageStartingWith(folder + "/task.yaml: task t");
    }

    @Test
    void a_name_that_no_plugin_claims_is_bad_input_when_it_failed_every_session() throws IOException {
        var task = read("task_id: t\nagent: {harness: codx}\n");
        assertThat(task.neverStarted(failed("unknown harness 'codx'", "unknown harness 'codx'")))
                .hasValueSatisfying(problem -> assertThat(problem)
                        .hasMessageContaining("task.yaml:2: agent.harness: unknown harness 'codx'; correct the name"));
        assertThat(task.neverStarted(failed("unknown harness 'codx'", "session cancelled")))
                .isEmpty();
        assertThat(task.neverStarted(failed())).isEmpty();
    }

    @Test
    void so_is_whatever_else_kept_every_agent_from_starting() throws IOException {
        var task = read("task_id: t\nagent: {harness: claude_code}\n");
        assertThat(task.neverStarted(failed("prepare action 1 failed with exit code 3")))
                .hasValueSatisfying(problem -> assertThat(problem)
                        .hasMessageEndingWith(
                                "no session could start its agent: prepare action 1 failed with exit code 3"));
        var ran = failed("the agent exited with code 1");
        ran.withObject("/results/0/metadata/timing_detail").put("agent_exec_ms", 12.5);
        assertThat(task.neverStarted(ran)).isEmpty();
        assertThat(task.neverStarted(failed("session cancelled").put("status", "cancelled")))
                .isEmpty();
    }

    @Test
    void an_empty_file_is_no_task() {
        assertThatThrownBy(() -> read(""))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("a task was expected");
    }
}
