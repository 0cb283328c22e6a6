package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.result.SampleSessions;
import dev.polar.spi.SessionResult;
import dev.polar.spi.SessionStatus;
import dev.polar.wire.Json;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code polar export} and {@code polar trace} of results in files. */
@ResourceLock(Resources.SYSTEM_OUT)
@ResourceLock(Resources.SYSTEM_ERR)
class ExportCommandTest {
    @TempDir
    Path folder;

    private String results;

    private record Said(int status, String out, String err) {}

    @BeforeEach
    void writeResults() throws Exception {
        results = SampleSessions.write(folder.resolve("results"), new SampleSessions().all())
                .toString();
    }

    private static Said run(String... arguments) {
        var out = System.out;
        var err = System.err;
        var said = new ByteArrayOutputStream();
        var complained = new ByteArrayOutputStream();
        System.setOut(new PrintStream(said, true));
        System.setErr(new PrintStream(complained, true));
        try {
            return new Said(Polar.run(arguments), said.toString(), complained.toString());
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    private Said export(String format, String file, String... more) {
        var arguments = new java.util.ArrayList<>(java.util.List.of(
                "export",
                "--from",
                results,
                "--format",
                format,
                "-o",
                folder.resolve(file).toString()));
        arguments.addAll(java.util.List.of(more));
        return run(arguments.toArray(String[]::new));
    }

    @Test
    void the_summary_says_what_was_written_and_what_was_left_out() throws Exception {
        var said = export("tokens", "rows.jsonl", "--status", "completed", "--min-reward", "0.5", "--json");
        assertThat(said.status()).as(said.err()).isZero();
        var summary = Json.MAPPER.readTree(said.out());
        assertThat(summary.path("rows").asInt()).isEqualTo(3);
        assertThat(summary.path("left_out").toString()).isEqualTo("{\"reward\":2,\"status\":1}");
        assertThat(Files.readAllLines(folder.resolve("rows.jsonl"))).hasSize(3);
        var people = export("messages", "chat.jsonl");
        assertThat(people.out())
                .contains("5 rows of 5 sessions")
                .contains("1 sessions have no traces")
                .contains("--images");
    }

    @Test
    void a_file_that_is_there_is_kept_unless_it_is_forced() throws Exception {
        Files.writeString(folder.resolve("there.jsonl"), "mine");
        var refused = export("tokens", "there.jsonl");
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("there.jsonl: is there already").contains("--force");
        assertThat(folder.resolve("there.jsonl")).hasContent("mine");
        assertThat(export("tokens", "there.jsonl", "--force").status()).isZero();
        assertThat(Files.readAllLines(folder.resolve("there.jsonl"))).hasSize(6);
    }

    @Test
    void a_session_that_a_format_cannot_hold_is_refused_by_name_with_exit_status_1() {
        var said = export("nemo-gym", "gym.jsonl");
        assertThat(said.status()).isEqualTo(1);
        assertThat(said.out()).contains("refused: sk-polar-rewritten (of sessions whose tails are not all exact)");
    }

    @Test
    void what_is_asked_wrongly_is_one_line() {
        assertThat(run("export", "--format", "tokens").err()).contains("name tasks, or files with --from");
        assertThat(run("export", "t", "--format", "token").err().lines())
                .singleElement()
                .asString()
                .contains("'--format': 'token' is none of messages, tokens, atif, slime, nemo-gym");
        assertThat(export("tokens", "a.jsonl", "--status", "done").err()).contains("--status: 'done' is none of");
        assertThat(run("export", "--from", folder + "/none", "--format", "tokens", "-o", folder + "/x")
                        .err())
                .contains("none: there is no such file or folder");
        assertThat(run(
                                "export",
                                "t",
                                "--format",
                                "tokens",
                                "-o",
                                folder + "/no/x",
                                "--rollout-url",
                                "http://127.0.0.1:1")
                        .err())
                .contains("there is no folder");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            rows.parquet | --to jsonl   | says parquet, and what is written is jsonl: say --to parquet
            rows.JSONL   | --to parquet | says jsonl, and what is written is parquet: say --to jsonl
            """)
    void a_file_whose_name_says_another_kind_than_is_written_is_refused(String file, String to, String complaint) {
        var refused = export("tokens", file, to.split(" "));
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("--output", file, complaint);
        assertThat(folder.resolve(file)).doesNotExist();
    }

    @Test
    void standard_output_is_no_place_for_rows() {
        var refused = run("export", "--from", results, "--format", "tokens", "-o", "-");
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("--output: '-'", "name a file");
        assertThat(Path.of("-")).doesNotExist();
    }

    @Test
    void a_role_that_no_trace_has_is_refused_with_those_that_there_are() {
        var refused = export("tokens", "rows.jsonl", "--role", "main,foo");
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("--role: no trace has the role 'foo' (there are: main, subagent)");
        assertThat(folder).isDirectoryNotContaining("glob:**rows*");
        assertThat(export("tokens", "rows.jsonl", "--role", "auxiliary").status())
                .as("every harness may have it")
                .isZero();
    }

    @Test
    void of_a_task_that_was_submitted_again_the_last_run_counts_and_the_others_are_told() throws Exception {
        var again = folder.resolve("again");
        var samples = new SampleSessions();
        SampleSessions.write(
                again,
                List.of(
                        submitted("sk-polar-old", 100.25, samples),
                        submitted("sk-polar-new", 200.5, samples),
                        submitted("sk-polar-newer", 200.5, samples)));
        SampleSessions.write(again, samples.all());

        var said =
                run("export", "--from", again.toString(), "--format", "tokens", "-o", folder + "/rows.jsonl", "--json");

        assertThat(said.status()).as(said.err()).isZero();
        var summary = Json.MAPPER.readTree(said.out());
        assertThat(summary.path("sessions_of_earlier_runs").asInt()).isEqualTo(1);
        assertThat(summary.path("sessions").asInt()).isEqualTo(7);
        assertThat(folder.resolve("rows.jsonl"))
                .content()
                .contains("sk-polar-new\"", "sk-polar-newer", "sk-polar-two")
                .doesNotContain("sk-polar-old");
        var named = again + "/task_again/ses_sk-polar-old.json";
        assertThat(run("export", "--from", named, "--format", "tokens", "-o", folder + "/old.jsonl")
                        .out())
                .contains("1 rows of 1 sessions");
    }

    private static SessionResult submitted(String id, double at, SampleSessions samples) {
        var one = SampleSessions.session(
                id,
                "again",
                SessionStatus.COMPLETED,
                Map.of("first", 1),
                List.of(samples.chain(1, "main", null, "first", null)));
        return new SessionResult(
                one.sessionId(),
                one.taskId(),
                one.status(),
                one.trajectory(),
                one.timing(),
                one.nodeId(),
                one.error(),
                Map.of("attempt", 1, "submitted_at", at));
    }

    @Test
    void a_file_that_is_not_there_is_not_asked_for_as_a_task() {
        var refused = run("trace", folder + "/nofile.json");
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("nofile.json: there is no such file", "polar status");
    }

    @Test
    void one_session_of_several_is_shown_by_a_part_of_its_name() throws Exception {
        var task = folder.resolve("task.json");
        Json.MAPPER.writeValue(task.toFile(), java.util.Map.of("task_id", "t", "results", new SampleSessions().all()));
        var said = run("trace", task.toString(), "two", "--tokens");
        assertThat(said.out()).contains("[prompt, 20 tokens]").contains("[sampled, 10 tokens]");
        assertThat(run("trace", task.toString(), "--tokens").err())
                .contains("has 5 sessions: name one of sk-polar-two");
        assertThat(run("trace", task.toString(), "--json").out().lines()).hasSize(5);
    }

    @Test
    void traces_are_shown_of_a_file_too() {
        var file = results + "/task_t1/ses_sk-polar-two.json";
        assertThat(run("trace", file).out()).contains("trace 1  subagent helper");
        assertThat(run("trace", file, "--tokens", "--trace", "1", "--json").out())
                .contains("\"kind\":\"sampled\"");
        assertThat(run("trace", file, "--tokens", "--trace", "9").err()).contains("--trace 9 is none of them");
        assertThat(run("trace", file, "other").err()).contains("has no session 'other' (it has sk-polar-two)");
        assertThat(run("trace", results + "/task_t2/ses_sk-polar-rewritten.json", "--diff")
                        .out())
                .contains("trace 1  rewritten  the first");
    }
}
