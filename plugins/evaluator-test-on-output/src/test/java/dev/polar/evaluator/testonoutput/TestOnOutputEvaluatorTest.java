package dev.polar.evaluator.testonoutput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.plugin.testing.HostRuntimeDouble;
import dev.polar.spi.Evaluation;
import dev.polar.spi.EvaluationContext;
import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.SessionInfo;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.Trajectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestOnOutputEvaluatorTest {
    private static final String REPO = "/polar/session/repo";

    /** As a task's image and its {@code prepare} leave it. */
    private static final String SET_UP = """
            printf 'one\\r\\ntwo\\r\\n' > crlf.txt; printf 'no newline' > end.txt; printf 'x\\n' > "old name.txt"
            printf 'a\\000b\\377c' > data.bin; printf '#!/bin/sh\\n' > run.sh; echo gone > gone.txt
            echo '*.log' > .gitignore; echo kept > kept.log; echo '*.txt text eol=lf' > .gitattributes
            mkdir sub; echo deep > sub/deep.txt; ln -s end.txt link
            """;

    private static final String CHANGES = """
            printf 'one\\r\\nTWO\\r\\nthree' > crlf.txt; printf 'still no newline' > end.txt; mv "old name.txt" "new\\t name.txt"
            printf 'a\\000b\\376d\\n\\000' > data.bin; chmod 755 run.sh; rm gone.txt; : > empty.txt; : > "empty two.txt"
            ln -sf run.sh link; echo changed > kept.log; echo new > new.log; mkdir -p sub/__pycache__ .pytest_cache
            echo x > sub/__pycache__/deep.pyc; echo x > .pytest_cache/v; echo deeper >> sub/deep.txt
            """;

    private static final String GIT = "git -c user.name=t -c user.email=t@example.org ";

    @TempDir
    Path folder;

    private HostRuntimeDouble agent;
    private HostRuntimeDouble fresh;
    private final TestOnOutputEvaluator evaluator = new TestOnOutputEvaluator();

    @BeforeEach
    void runtimes() throws Exception {
        var path = Map.of("PATH", System.getenv("PATH"));
        agent = new HostRuntimeDouble(folder.resolve("agent"), path);
        fresh = new HostRuntimeDouble(folder.resolve("fresh"), path);
        for (var runtime : List.of(agent, fresh)) {
            Files.createDirectories(Path.of(runtime.path(REPO)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"no repository", "left in the tree", "committed", "repository removed"})
    void g01_changes_of_every_kind_are_extracted_and_applied_whole(String how) throws Exception {
        both(SET_UP);
        if (!how.equals("no repository")) {
            both("git init -q . && git add -A && git add -f kept.log && " + GIT + "commit -qm base");
        }
        var baseline = evaluator.baseline(context(config("echo PASSED t"), true));

        run(agent, CHANGES);
        switch (how) {
            case "committed" -> run(agent, "git add -A && git add -f kept.log && " + GIT + "commit -qm work");
            case "repository removed" -> run(agent, "rm -rf .git");
            default -> {}
        }
        var evaluation = evaluate(config("echo PASSED t"), true, baseline);

        assertThat(evaluation.outcomeReward()).as("%s", evaluation.details()).isEqualTo(1.0);
        assertThat(evaluation.details()).containsEntry("mode", "refresh_runtime");
        var wanted = tree(agent);
        wanted.keySet().removeIf(name -> name.contains("__pycache__") || name.contains(".pytest_cache"));
        // What the task's own rules ignore is no change: new where they say so, and any change to it where no
        // repository holds it.
        wanted.remove("new.log");
        if (how.equals("no repository")) {
            wanted.put("kept.log", tree(fresh).get("kept.log"));
        }
        assertThat(tree(fresh)).isEqualTo(wanted);
        assertThat(wanted)
                .containsKeys("new\\t name.txt", "empty.txt", "empty two.txt", "link")
                .doesNotContainKey("gone.txt");
    }

    @Test
    void g06_what_the_set_up_left_dirty_is_not_in_the_patch() throws Exception {
        both("echo a > a; echo b > b; git init -q . && git add -A && " + GIT + "commit -qm base");
        both("echo dirty > a; echo untracked > set-up; rm b; echo staged > staged; git add staged");
        var baseline = evaluator.baseline(context(config("echo PASSED t"), true));

        run(agent, "echo mine > mine");
        var evaluation = evaluate(config("echo PASSED t"), true, baseline);

        assertThat(patch(evaluation)).contains("mine").doesNotContain("dirty", "set-up", "untracked", "staged");
        assertThat(evaluation.outcomeReward()).isEqualTo(1.0);
        assertThat(run(agent, "git status --porcelain"))
                .as("the task's own repository is left alone")
                .contains("A  staged");
    }

    @Test
    void a_repository_inside_the_folder_is_a_plain_folder_to_it() throws Exception {
        both("git init -q . && mkdir inner && cd inner && git init -q . && echo a > a && git add -A && " + GIT
                + "commit -qm i");
        both("mkdir unborn && git init -q unborn && echo u > unborn/u");
        var baseline = evaluator.baseline(context(config("echo PASSED t"), true));

        run(
                agent,
                "echo b > inner/a; echo c > inner/c; echo v > unborn/u; rm -f inner/none; cd inner && git add -A && "
                        + GIT + "commit -qm more");
        var evaluation = evaluate(config("echo PASSED t"), true, baseline);

        assertThat(evaluation.outcomeReward()).as("%s", evaluation.details()).isEqualTo(1.0);
        assertThat(run(fresh, "cat inner/a inner/c unborn/u")).isEqualTo("b\nc\nv\n");
    }

    @Test
    void no_change_scores_0_and_runs_no_test() throws Exception {
        both("echo a > a");
        var config = config("touch ran; echo PASSED t");
        var baseline = evaluator.baseline(context(config, true));

        run(agent, "mkdir __pycache__; echo x > __pycache__/a.pyc");
        var evaluation = evaluate(config, true, baseline);

        assertThat(evaluation.outcomeReward()).isZero();
        assertThat(report(evaluation)).containsEntry("empty_generation", true).containsEntry("no_evidence", false);
        assertThat(tree(fresh)).doesNotContainKey("ran");
    }

    @Test
    void g04_no_result_at_all_is_no_evidence_and_not_failed_tests() throws Exception {
        var evaluation = changedAndTested("echo 'collected 0 items'; echo '=== no tests ran ==='; exit 5");

        assertThat(evaluation.outcomeReward()).isZero();
        assertThat(report(evaluation))
                .containsEntry("no_evidence", true)
                .containsEntry("resolved", false)
                .containsEntry("exit_code", 5);
    }

    @Test
    void the_report_has_exactly_its_keys() throws Exception {
        var evaluation = changedAndTested("echo FAILED t");

        assertThat(report(evaluation).keySet())
                .containsExactly(
                        "empty_generation",
                        "resolved",
                        "failed_apply_patch",
                        "error_eval",
                        "test_timeout",
                        "no_evidence",
                        "exit_code",
                        "parsed_tests",
                        "expected_tests");
        assertThat(report(evaluation))
                .containsEntry("resolved", false)
                .containsEntry("no_evidence", false)
                .containsEntry("parsed_tests", Map.of("t", "FAILED"))
                .containsEntry("expected_tests", Map.of("t", "PASSED"));
        assertThat(evaluation.details()).containsKeys("patch_path", "mode");
    }

    @Test
    void one_test_more_or_less_than_expected_is_not_resolved() throws Exception {
        assertThat(changedAndTested("echo PASSED t; echo PASSED u").outcomeReward())
                .isZero();
    }

    @Test
    void a_test_command_that_does_not_end_is_a_timeout() throws Exception {
        both("echo a > a");
        var config = new TestOnOutputConfig(
                "echo PASSED t; exec sleep 60", Map.of("t", "PASSED"), REPO, null, null, 0.5, null);
        var baseline = evaluator.baseline(context(config, false));
        run(agent, "echo b > a");

        var evaluation = evaluate(config, false, baseline);

        assertThat(evaluation.outcomeReward()).isZero();
        assertThat(report(evaluation)).containsEntry("test_timeout", true).containsEntry("resolved", false);
    }

    @Test
    void a_test_command_that_cannot_be_run_is_an_error_of_the_evaluation() throws Exception {
        var evaluation = changedAndTested("no-such-test-runner");

        assertThat(report(evaluation)).containsEntry("error_eval", true).containsEntry("exit_code", 127);
        assertThat(evaluation.details().get("note").toString()).contains("no-such-test-runner");
    }

    @Test
    void the_evaluators_environment_reaches_the_test_command_and_its_output_is_kept() throws Exception {
        assertThat(changedAndTested("echo PASSED $WHICH").outcomeReward()).isEqualTo(1.0);
        assertThat(folder.resolve("artifacts/agent.patch")).content().contains("+changed");
    }

    @Test
    void without_a_fresh_runtime_the_agents_own_is_tested() throws Exception {
        both("echo a > a");
        var config = config("cat a");
        var baseline = evaluator.baseline(context(config, false));
        run(agent, "echo PASSED t > a");

        var evaluation = evaluate(config, false, baseline);

        assertThat(evaluation.outcomeReward()).isEqualTo(1.0);
        assertThat(evaluation.details()).containsEntry("mode", "live_runtime");
    }

    @Test
    void a_patch_that_does_not_apply_is_said_so() throws Exception {
        both("echo a > a");
        var baseline = evaluator.baseline(context(config("echo PASSED t"), true));
        run(agent, "echo b > a");
        run(fresh, "echo other > a");

        var evaluation = evaluate(config("echo PASSED t"), true, baseline);

        assertThat(evaluation.outcomeReward()).isZero();
        assertThat(report(evaluation)).containsEntry("failed_apply_patch", true).containsEntry("exit_code", null);
        assertThat(evaluation.details().get("note").toString()).contains("patch does not apply");
    }

    @Test
    void a_patch_command_is_used_as_it_is() throws Exception {
        both("echo a > a; echo b > b; git init -q . && git add -A && " + GIT + "commit -qm base");
        both("echo dirty > b");
        var config = new TestOnOutputConfig(
                "cat a b",
                Map.of("t", "PASSED", "u", "PASSED"),
                REPO,
                "git diff --binary --submodule=diff",
                null,
                null,
                List.of("docs/*.md"));
        assertThat(evaluator.baseline(context(config, true))).isEmpty();
        run(agent, "echo PASSED t > a; echo PASSED u > b; mkdir docs; echo d > docs/d.md; git add -N docs");
        run(fresh, "git checkout -q b");

        var evaluation = evaluate(config, true, Optional.empty());

        assertThat(evaluation.outcomeReward()).as("%s", evaluation.details()).isEqualTo(1.0);
        assertThat(patch(evaluation)).doesNotContain("docs/d.md");
    }

    @Test
    void a_patch_command_that_fails_is_named() throws Exception {
        both("echo a > a");
        var config =
                new TestOnOutputConfig("true", Map.of("t", "PASSED"), REPO, "echo oops >&2; exit 3", null, null, null);

        assertThatThrownBy(() -> evaluate(config, true, Optional.empty()))
                .isInstanceOf(ExtensionException.class)
                .hasMessageContaining("patch_command")
                .hasMessageContaining("exit code 3: oops");
    }

    @Test
    void a_missing_folder_is_the_tasks_error_before_the_run_and_an_unresolved_session_after_it() throws Exception {
        var missing =
                new TestOnOutputConfig("true", Map.of("t", "PASSED"), "/polar/session/none", null, null, null, null);
        assertThatThrownBy(() -> evaluator.baseline(context(missing, true)))
                .isInstanceOf(ExtensionException.class)
                .hasMessageContaining("evaluator.config.repo_dir: there is no folder '/polar/session/none'");

        both("echo a > a");
        var baseline = evaluator.baseline(context(config("true"), true));
        run(agent, "cd .. && rm -rf repo");
        assertThat(report(evaluate(config("true"), true, baseline))).containsEntry("error_eval", true);
    }

    @Test
    void the_tasks_repository_cannot_make_it_run_something() throws Exception {
        both("echo a > a; git init -q . && git add -A && " + GIT + "commit -qm base");
        var baseline = evaluator.baseline(context(config("echo PASSED t"), true));
        run(
                agent,
                "echo b > a; printf '#!/bin/sh\\ntouch " + folder + "/trapped\\n' > trap.sh; chmod 755 trap.sh;"
                        + " git config core.fsmonitor \"$PWD/trap.sh\"; git config filter.evil.clean \"$PWD/trap.sh\";"
                        + " echo 'a filter=evil' > .gitattributes; git config diff.external \"$PWD/trap.sh\";"
                        + " git init -q --bare ../.polar-test-on-output/after;"
                        + " git --git-dir=../.polar-test-on-output/after config core.fsmonitor \"$PWD/trap.sh\"");

        assertThat(evaluate(config("echo PASSED t"), true, baseline).outcomeReward())
                .isEqualTo(1.0);
        assertThat(folder.resolve("trapped")).doesNotExist();
    }

    private Evaluation changedAndTested(String testCommand) throws Exception {
        both("echo a > a");
        var config = config(testCommand);
        var baseline = evaluator.baseline(context(config, true));
        run(agent, "echo changed > a");
        return evaluate(config, true, baseline);
    }

    private static TestOnOutputConfig config(String testCommand) {
        return new TestOnOutputConfig(testCommand, Map.of("t", "PASSED"), REPO, null, null, null, null);
    }

    private EvaluationContext<TestOnOutputConfig> context(TestOnOutputConfig config, boolean refresh) {
        return new EvaluationContext<>(
                new SessionInfo("session", "task", "node", Map.of()),
                config,
                Map.of("WHICH", "t"),
                agent,
                () -> refresh ? fresh : agent,
                folder.resolve("artifacts"),
                folder.resolve("scratch"),
                SessionStatus.COMPLETED,
                Duration.ofMinutes(5));
    }

    private Evaluation evaluate(TestOnOutputConfig config, boolean refresh, Optional<Object> baseline)
            throws Exception {
        var trajectory = new Trajectory(SessionStatus.COMPLETED, Map.of(), List.of(), null);
        return evaluator.evaluate(context(config, refresh), trajectory, baseline);
    }

    private void both(String script) throws Exception {
        run(agent, script);
        run(fresh, script);
    }

    private static String run(HostRuntimeDouble runtime, String script) throws Exception {
        var result = runtime.exec(ExecRequest.shell("set -e\n" + script).withCwd(REPO));
        assertThat(result.exitCode()).as("%s: %s", script, result.stderr()).isZero();
        return result.stdout();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> report(Evaluation evaluation) {
        return (Map<String, Object>) evaluation.details().get("report");
    }

    private static String patch(Evaluation evaluation) throws IOException {
        return Files.readString(
                Path.of(evaluation.details().get("patch_path").toString()), StandardCharsets.ISO_8859_1);
    }

    /** Every file below the repository's folder but git's own: what it is, whether it can be run, what is in it. */
    private static TreeMap<String, String> tree(HostRuntimeDouble runtime) throws IOException {
        var root = Path.of(runtime.path(REPO));
        var tree = new TreeMap<String, String>();
        try (var files = Files.walk(root)) {
            for (var file : files.toList()) {
                var name = root.relativize(file).toString();
                if (name.startsWith(".git/") || name.contains("/.git/") || Files.isDirectory(file)) {
                    continue;
                }
                tree.put(
                        name,
                        Files.isSymbolicLink(file)
                                ? "-> " + Files.readSymbolicLink(file)
                                : Files.isExecutable(file) + " "
                                        + new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
            }
        }
        return tree;
    }
}
