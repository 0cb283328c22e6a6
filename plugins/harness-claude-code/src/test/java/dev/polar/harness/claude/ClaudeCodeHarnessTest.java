package dev.polar.harness.claude;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.spi.ApiType;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.InvalidValueException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClaudeCodeHarnessTest {
    private static final ClaudeCodeSettings DEFAULTS =
            new ClaudeCodeSettings(null, null, null, null, null, null, null, null);

    @TempDir
    Path folder;

    @Test
    void a_run_without_a_result_event_is_no_success_even_with_exit_status_0() {
        var outcome = RunReport.of(exited(0, "{\"type\":\"system\",\"subtype\":\"init\"}\n", ""))
                .outcome(DEFAULTS);

        assertThat(outcome.succeeded()).isFalse();
        assertThat(outcome.reason()).contains("exited with code 0 before it printed a result");
    }

    @Test
    void a_run_that_exits_0_with_an_error_as_its_result_is_no_success() {
        var outcome = RunReport.of(exited(0, result("success", true, "API Error: 500"), ""))
                .outcome(DEFAULTS);

        assertThat(outcome.succeeded()).isFalse();
        assertThat(outcome.reason()).isEqualTo("claude_code failed: API Error: 500");
        assertThat(outcome.result()).containsEntry("exit_code", 0).containsEntry("status", "error");
    }

    @Test
    void a_last_answer_that_the_program_made_up_itself_is_no_success() {
        var stdout = "{\"type\":\"assistant\",\"message\":{\"model\":\"<synthetic>\"},\"error\":\"server_error\"}\n"
                + result("success", false, "API Error: connection lost");

        assertThat(RunReport.of(exited(0, stdout, "")).outcome(DEFAULTS).succeeded())
                .isFalse();
    }

    @Test
    void turns_that_ran_out_and_a_bad_exit_status_are_no_success() {
        assertThat(RunReport.of(exited(0, result("error_max_turns", false, ""), ""))
                        .outcome(DEFAULTS)
                        .succeeded())
                .isFalse();
        assertThat(RunReport.of(exited(1, result("success", false, "fine"), ""))
                        .outcome(DEFAULTS)
                        .reason())
                .isEqualTo("claude_code exited with code 1");
    }

    @Test
    void lines_that_are_cut_or_no_json_are_passed_over() {
        var stdout =
                "noise\n{\"type\":\"assist\n[12 bytes were left out here]\nant\"}\n" + result("success", false, "ok");

        assertThat(RunReport.of(exited(0, stdout, "")).outcome(DEFAULTS).succeeded())
                .isTrue();
    }

    @Test
    void another_version_is_a_warning_unless_it_was_asked_for() {
        var stdout = "{\"type\":\"system\",\"subtype\":\"init\",\"claude_code_version\":\"9.9.9\"}\n"
                + result("success", false, "ok");
        var asked = new ClaudeCodeSettings("9.9.9", null, null, null, null, null, null, null);

        assertThat(RunReport.of(exited(0, stdout, ""))
                        .outcome(DEFAULTS)
                        .result()
                        .get("warnings")
                        .toString())
                .contains("version 9.9.9, not " + ClaudeCodeSettings.PINNED);
        assertThat(RunReport.of(exited(0, stdout, "")).outcome(asked).result()).doesNotContainKey("warnings");
    }

    @Test
    void side_calls_are_auxiliary_and_a_summary_is_a_compaction_that_the_agent_resumes_from() {
        var labels = CallTable.labels(List.of(
                call("You are Claude Code", "fix it", null, "Bash", "Edit"),
                call("Generate a concise, sentence-case title", "fix it", null),
                call("", "quota", null),
                call(
                        "You are an assistant for performing a web search tool use",
                        "Perform a search",
                        null,
                        "web_search"),
                call("You are an agent", "look", "a1", "Bash"),
                call(
                        "",
                        "CRITICAL. Your task is to create a detailed summary of the conversation so far, paying",
                        null),
                call("You are Claude Code", "go on", null, "Bash", "Edit"),
                call("You are an agent", "go on", "a1", "Bash")));

        assertThat(labels)
                .containsExactly(
                        CallLabel.MAIN,
                        CallLabel.AUXILIARY,
                        CallLabel.AUXILIARY,
                        CallLabel.AUXILIARY,
                        new CallLabel("subagent", "a1", null),
                        new CallLabel("main", null, "compaction"),
                        new CallLabel("main", null, "resumed"),
                        new CallLabel("subagent", "a1", null));
    }

    @Test
    void a_session_without_tools_is_all_main() {
        assertThat(CallTable.labels(List.of(call("", "a", null), call("", "b", null))))
                .containsOnly(CallLabel.MAIN);
    }

    @Test
    void a_machine_without_npm_is_told_in_one_line() {
        assertThatThrownBy(() -> new NpmInstall(folder, "no-such-npm").version("1.2.3", Duration.ofSeconds(10)))
                .isInstanceOf(ExtensionException.class)
                .hasMessageContaining("install Node.js 20 or later, or claude itself")
                .hasMessageNotContaining("\n");
    }

    @Test
    void an_installation_that_fails_leaves_nothing_and_says_what_npm_said() throws Exception {
        var npm = script("echo partial > $3/x; echo 'E404 no such version'; exit 1");

        assertThatThrownBy(() -> new NpmInstall(cache(), npm).version("1.2.3", Duration.ofSeconds(10)))
                .isInstanceOf(ExtensionException.class)
                .hasMessageContaining("npm install @anthropic-ai/claude-code@1.2.3 failed (exit code 1)")
                .hasMessageContaining("E404 no such version");
        assertThat(cache()).isEmptyDirectory();
    }

    @Test
    void sessions_that_start_at_once_install_it_once_and_cannot_write_to_it() throws Exception {
        var npm = script("echo run >> " + folder + "/runs; b=$3/node_modules/.bin; mkdir -p $b;"
                + " printf '#!/bin/sh\\necho 1.2.3\\n' > $b/claude; chmod 755 $b/claude; sleep 0.3");
        Callable<Path> install = () -> new NpmInstall(cache(), npm).version("1.2.3", Duration.ofSeconds(30));

        List<Path> homes;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            homes = threads.invokeAll(List.of(install, install, install)).stream()
                    .map(future -> future.resultNow())
                    .toList();
        }

        assertThat(folder.resolve("runs")).hasContent("run\n");
        assertThat(homes).containsOnly(cache().resolve("1.2.3"));
        var program = NpmInstall.program(homes.getFirst());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(program)))
                .isEqualTo("r-xr-xr-x");
        assertThat(cache()).isDirectoryNotContaining(file -> file.toString().contains(".new-"));
    }

    @Test
    void npm_sees_no_secret_of_the_server() throws Exception {
        var npm = script("env > " + folder + "/seen; exit 1");

        assertThatThrownBy(() -> new NpmInstall(cache(), npm).version("1.2.3", Duration.ofSeconds(10)))
                .isInstanceOf(ExtensionException.class);
        assertThat(Files.readAllLines(folder.resolve("seen")))
                .isNotEmpty()
                .noneMatch(line -> line.startsWith("POLAR_") || line.startsWith("MAVEN_") || line.startsWith("JAVA_"));
    }

    @Test
    void settings_say_what_is_wrong_with_them() {
        assertThatThrownBy(() -> new ClaudeCodeSettings("latest; rm", null, null, null, null, null, null, null))
                .isInstanceOf(InvalidValueException.class)
                .hasMessageStartingWith("version: 'latest; rm' is no version");
        assertThatThrownBy(() -> ClaudeCodeSettings.Install.of("maybe"))
                .hasMessage("install: 'maybe' is none of auto, never");
    }

    private Path cache() throws Exception {
        return Files.createDirectories(folder.resolve("cache"));
    }

    /** A stand-in for npm; {@code $3} is the folder that it is to install into. */
    private String script(String lines) throws Exception {
        var file = Files.writeString(folder.resolve("npm"), "#!/bin/sh\n" + lines + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file.toString();
    }

    private static ExecResult exited(int code, String stdout, String stderr) {
        return new ExecResult(code, false, false, stdout, stderr, stdout.length(), stderr.length());
    }

    private static String result(String subtype, boolean error, String text) {
        return "{\"type\":\"result\",\"subtype\":\"" + subtype + "\",\"is_error\":" + error
                + ",\"num_turns\":1,\"result\":\"" + text + "\"}\n";
    }

    private static CallFacts call(String system, String lastUser, String agent, String... tools) {
        Map<String, String> headers = agent == null ? Map.of() : Map.of(CallTable.AGENT_HEADER, agent);
        return new CallFacts(
                null, 0, ApiType.ANTHROPIC, headers, system, lastUser, List.of(tools), 1, OptionalInt.of(32_000), true);
    }
}
