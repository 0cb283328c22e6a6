package dev.polar.runtime.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.Runtime;
import dev.polar.spi.RuntimeRequest;
import dev.polar.spi.RuntimeSpec;
import dev.polar.spi.SessionInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What holds with bubblewrap and without. */
@Timeout(120)
abstract class LocalRuntimeContract {
    static final String NODE = "node-a";

    @TempDir
    Path node;

    final LocalRuntimeProvider provider = new LocalRuntimeProvider();
    Runtime runtime;

    /** {@code always} or {@code never}. */
    abstract String bubblewrap();

    @BeforeEach
    void start() throws Exception {
        runtime = provider.start(request(Map.of("SESSION_DIR", Runtime.SESSION_DIR, "OPENAI_API_KEY", "secret-key")));
    }

    @AfterEach
    void stop() {
        if (runtime != null) {
            runtime.stop();
        }
    }

    RuntimeRequest request(Map<String, String> env) throws IOException {
        return request(env, Map.of("bubblewrap", bubblewrap()), null, null);
    }

    RuntimeRequest request(Map<String, String> env, Map<String, Object> kwargs, String workdir, String init)
            throws IOException {
        var spec = new RuntimeSpec(
                "local", null, null, null, env, null, workdir, init, null, null, null, null, null, null, null, kwargs);
        return new RuntimeRequest(
                new SessionInfo("sk-polar-1", "task", NODE, Map.of()),
                "run",
                spec,
                node.resolve("runtimes/local"),
                Files.createDirectories(sessionDir()),
                Files.createDirectories(node.resolve("cache")),
                env);
    }

    Path sessionDir() {
        return node.resolve("sessions/1/session");
    }

    @Test
    void a_command_sees_the_runtimes_environment_and_not_the_servers() throws Exception {
        var result = runtime.exec(ExecRequest.of("env").withEnv(Map.of("EXTRA", "{x} %s")));

        var names = result.stdout().lines().map(line -> line.split("=")[0]).toList();
        assertThat(names).contains("SESSION_DIR", "OPENAI_API_KEY", "PATH", "HOME", "TMPDIR", "EXTRA");
        assertThat(names).doesNotContain("JAVA_HOME", "MAVEN_OPTS", "POLAR_CONTROL_PLANE_TOKEN", "LS_COLORS");
        assertThat(result.stdout()).contains("EXTRA={x} %s");
        assertThat(result.stdout()).contains("SESSION_DIR=" + runtime.path(Runtime.SESSION_DIR) + "\n");
    }

    @Test
    void f03_no_command_line_holds_a_key() throws Exception {
        var result = runtime.exec(ExecRequest.shell("cat /proc/*/cmdline | tr '\\0' ' '"));

        assertThat(result.stdout()).contains("cat").doesNotContain("secret-key");
    }

    @Test
    void the_sessions_folder_is_the_nodes_and_home_lies_in_it() throws Exception {
        runtime.exec(ExecRequest.shell("echo hi > \"$SESSION_DIR/seen\"; echo home > ~/mine; pwd"));

        assertThat(sessionDir().resolve("seen")).hasContent("hi\n");
        assertThat(sessionDir().resolve("home/mine")).hasContent("home\n");
    }

    @Test
    void a_command_runs_in_the_workspace_unless_it_says_otherwise() throws Exception {
        assertThat(runtime.exec(ExecRequest.of("pwd")).stdout().strip())
                .isEqualTo(runtime.path("/polar/session/workspace"));
        assertThat(runtime.exec(ExecRequest.of("pwd").withCwd("/polar/session"))
                        .stdout()
                        .strip())
                .isEqualTo(runtime.path("/polar/session"));
    }

    @Test
    void a_missing_folder_and_a_missing_program_are_a_shells_exit_codes() throws Exception {
        var nowhere = runtime.exec(ExecRequest.of("pwd").withCwd("/no/such"));
        var nothing = runtime.exec(ExecRequest.of("no-such-program"));

        assertThat(nowhere.exitCode()).isEqualTo(126);
        assertThat(nowhere.stderr()).contains("/no/such");
        assertThat(nothing.exitCode()).isEqualTo(127);
        assertThat(nothing.stderr()).contains("no-such-program");
    }

    @Test
    void exit_codes_of_the_command_and_of_a_signal_come_through() throws Exception {
        assertThat(runtime.exec(ExecRequest.shell("exit 7")).exitCode()).isEqualTo(7);
        assertThat(runtime.exec(ExecRequest.shell("kill -TERM $$")).exitCode()).isEqualTo(143);
    }

    @Test
    void standard_input_is_the_file_or_empty() throws Exception {
        var input = Files.writeString(node.resolve("input"), "from a file");

        assertThat(runtime.exec(ExecRequest.of("cat").withStdin(input)).stdout())
                .isEqualTo("from a file");
        assertThat(runtime.exec(ExecRequest.of("cat")).stdout()).isEmpty();
    }

    @Test
    void f14_output_beyond_the_limit_is_counted_and_its_beginning_and_end_are_kept() throws Exception {
        var file = node.resolve("logs/out");
        var command = "printf 'first {}%%s\\n'; head -c 200000000 /dev/zero; printf '\\nlast\\377\\n'";
        var result = runtime.exec(
                ExecRequest.shell(command).withMaxOutputBytes(10_000).withOutputFiles(file, null));

        assertThat(result.exitCode()).isZero();
        assertThat(result.stdoutBytes()).isEqualTo(200_000_000L + 11 + 1 + 6);
        assertThat(result.stdout()).startsWith("first {}%s\n").endsWith("\nlast\uFFFD\n");
        assertThat(result.stdout()).contains("bytes were left out here");
        assertThat(result.stdout().length()).isLessThan(10_100);
        assertThat(new String(Files.readAllBytes(file), StandardCharsets.UTF_8)).isEqualTo(result.stdout());
    }

    @Test
    void both_streams_may_go_to_one_file() throws Exception {
        var file = node.resolve("both");
        var result = runtime.exec(ExecRequest.shell("echo out; echo err >&2").withOutputFiles(file, file));

        assertThat(result.stdout()).isEqualTo("out\n");
        assertThat(result.stderr()).isEqualTo("err\n");
        assertThat(Files.readAllLines(file)).containsExactlyInAnyOrder("out", "err");
    }

    @Test
    void a_background_child_that_keeps_the_pipe_open_does_not_hold_the_command() throws Exception {
        var mark = mark();
        var result = runtime.exec(ExecRequest.shell("sleep " + mark + " & setsid sleep " + mark + " & echo done"));

        assertThat(result.stdout()).isEqualTo("done\n");
        assertThat(withArgument(mark)).isEmpty();
    }

    @Test
    void f01_a_grandchild_that_forked_twice_is_gone_when_the_runtime_stops() throws Exception {
        var mark = mark();
        var running = new AtomicReference<Exception>();
        var thread = Thread.ofVirtual().start(() -> {
            try {
                runtime.exec(ExecRequest.shell("(setsid sh -c 'sleep " + mark + " & sleep " + mark
                        + "' >/dev/null 2>&1 </dev/null &) ; touch $SESSION_DIR/forked; sleep " + mark));
            } catch (Exception unexpected) {
                running.set(unexpected);
            }
        });
        await(() -> Files.exists(sessionDir().resolve("forked"))
                && withArgument(mark).size() >= 3);

        runtime.stop();
        thread.join();

        assertThat(withArgument(mark)).isEmpty();
        assertThat(running.get()).isNull();
        assertThat(journal()).isEmpty();
    }

    @Test
    void a_command_that_outlives_its_timeout_is_ended_with_all_its_children() throws Exception {
        var mark = mark();
        var result = runtime.exec(ExecRequest.shell("echo begun; setsid sleep " + mark + " & sleep " + mark)
                .withTimeout(Duration.ofMillis(300)));

        assertThat(result.timedOut()).isTrue();
        assertThat(result.exitCode()).isEqualTo(137);
        assertThat(result.stdout()).isEqualTo("begun\n");
        assertThat(withArgument(mark)).isEmpty();
    }

    @Test
    void an_interrupt_ends_the_command() throws Exception {
        var mark = mark();
        var ended = new CountDownLatch(1);
        var thread = Thread.ofVirtual().start(() -> {
            try {
                runtime.exec(ExecRequest.of("sleep", mark));
            } catch (InterruptedException expected) {
                ended.countDown();
            }
        });
        await(() -> !withArgument(mark).isEmpty());

        thread.interrupt();
        thread.join();

        assertThat(ended.getCount()).isZero();
        assertThat(withArgument(mark)).isEmpty();
    }

    @Test
    void endProcesses_ends_what_runs_and_leaves_the_runtime_usable() throws Exception {
        var mark = mark();
        var code = new AtomicReference<Integer>();
        var thread = Thread.ofVirtual().start(() -> {
            try {
                code.set(runtime.exec(ExecRequest.of("sleep", mark)).exitCode());
            } catch (InterruptedException unexpected) {
                Thread.currentThread().interrupt();
            }
        });
        await(() -> !withArgument(mark).isEmpty());

        runtime.endProcesses();
        thread.join();

        assertThat(code.get()).isEqualTo(137);
        assertThat(runtime.exec(ExecRequest.of("echo", "still here")).stdout()).isEqualTo("still here\n");
    }

    @Test
    void uploads_and_downloads_keep_modes_and_symbolic_links() throws Exception {
        var source = Files.createDirectories(node.resolve("source/sub"));
        Files.writeString(source.resolve("run.sh"), "echo ran\n");
        Files.setPosixFilePermissions(source.resolve("run.sh"), PosixFilePermissions.fromString("rwxr-x--x"));
        Files.createSymbolicLink(source.resolve("link"), Path.of("run.sh"));
        Files.createSymbolicLink(source.resolve("dangling"), Path.of("/no/such"));

        runtime.upload(node.resolve("source"), "/polar/session/deep/er/in");
        var listed = runtime.exec(ExecRequest.shell("cd $SESSION_DIR/deep/er/in/sub && sh link && stat -c %a run.sh"));
        runtime.download("/polar/session/deep/er", node.resolve("back"));

        assertThat(listed.stdout()).isEqualTo("ran\n751\n");
        var back = node.resolve("back/in/sub");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(back.resolve("run.sh"))))
                .isEqualTo("rwxr-x--x");
        assertThat(Files.readSymbolicLink(back.resolve("link"))).isEqualTo(Path.of("run.sh"));
        assertThat(Files.readSymbolicLink(back.resolve("dangling"))).isEqualTo(Path.of("/no/such"));
    }

    @Test
    void an_upload_leaves_what_is_not_the_sessions_alone() throws Exception {
        var file = Files.writeString(node.resolve("file"), "x");
        Files.createSymbolicLink(sessionDir().resolve("way-out"), Path.of("/usr"));

        assertThatThrownBy(() -> runtime.upload(file, "/etc/polar-test"))
                .isInstanceOf(ExtensionException.class)
                .hasMessageContaining("'/etc/polar-test' is read-only")
                .hasMessageContaining("/polar/session");
        assertThatThrownBy(() -> runtime.upload(file, "/polar/session/way-out/file"))
                .isInstanceOf(ExtensionException.class)
                .hasMessageContaining("read-only");
        assertThatThrownBy(() -> runtime.upload(node.resolve("missing"), "/polar/session/x"))
                .isInstanceOf(ExtensionException.class)
                .hasMessageContaining("missing does not exist");
    }

    @Test
    void a_link_inside_the_session_is_followed_as_its_processes_follow_it() throws Exception {
        runtime.exec(ExecRequest.shell("mkdir -p $SESSION_DIR/real && echo v > $SESSION_DIR/real/f"
                + " && ln -s $SESSION_DIR/real $SESSION_DIR/absolute"));

        runtime.download("/polar/session/absolute/f", node.resolve("f"));

        assertThat(node.resolve("f")).hasContent("v\n");
    }

    @Test
    void a_runtime_stops_twice_and_runs_nothing_afterwards() throws Exception {
        assertThat(journal()).hasSize(1);
        runtime.stop();
        runtime.stop();

        assertThat(journal()).isEmpty();
        assertThatThrownBy(() -> runtime.exec(ExecRequest.of("true")))
                .isInstanceOf(ExtensionException.class)
                .hasMessage("the runtime was stopped");
    }

    @Test
    void f02_a_start_that_fails_leaves_nothing() throws Exception {
        assertThatThrownBy(
                        () -> provider.start(request(Map.of(), Map.of("bubblewrap", bubblewrap()), "/no/such", null)))
                .isInstanceOf(ExtensionException.class)
                .hasMessageContaining("runtime.workdir: '/no/such'");
        assertThatThrownBy(() -> provider.start(request(Map.of(), Map.of("bubblewrap", bubblewrap()), null, "exit 3")))
                .isInstanceOf(ExtensionException.class);
        assertThat(journal()).hasSize(1);
    }

    @Test
    void the_init_command_runs_before_each_command() throws Exception {
        var other = provider.start(
                request(Map.of(), Map.of("bubblewrap", bubblewrap()), "/polar/session/repo", "export SET_BY=init"));
        try {
            var result = other.exec(ExecRequest.shell("echo $SET_BY; pwd"));
            assertThat(result.stdout()).isEqualTo("init\n" + other.path("/polar/session/repo") + "\n");
        } finally {
            other.stop();
        }
    }

    @Test
    void f01_what_a_killed_server_left_is_found_by_journal_and_label() throws Exception {
        var mark = mark();
        var owner = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        DoomedOwner.class.getName(),
                        node.toString(),
                        bubblewrap(),
                        mark)
                .redirectErrorStream(true)
                .redirectOutput(node.resolve("owner.log").toFile())
                .start();
        await(() -> withArgument(mark).size() >= 2 || !owner.isAlive());
        assertThat(owner.isAlive()).as(() -> read(node.resolve("owner.log"))).isTrue();
        owner.destroyForcibly().waitFor();

        var later = new LocalRuntimeProvider();
        assertThat(later.removeLeftovers(NODE, node.resolve("doomed/runtimes"))).isEqualTo(1);

        assertThat(withArgument(mark)).isEmpty();
        assertThat(later.removeLeftovers(NODE, node.resolve("doomed/runtimes"))).isZero();
        assertThat(runtime.exec(ExecRequest.of("true")).exitCode())
                .as("another server's runtime")
                .isZero();
    }

    List<Path> journal() throws IOException {
        return new Journal(node.resolve("runtimes/local")).entries();
    }

    /** A duration for sleep(1) that nobody else uses. */
    static String mark() {
        return "9" + Math.abs(UUID.randomUUID().getMostSignificantBits() % 1_000_000_000L);
    }

    /** Living processes of this machine that run {@code sleep mark}. */
    static List<Long> withArgument(String mark) {
        var found = new ArrayList<Long>();
        ProcessHandle.allProcesses().forEach(process -> {
            var line = read(Path.of("/proc/" + process.pid() + "/cmdline"));
            if (line.equals("sleep\0" + mark + "\0")) {
                found.add(process.pid());
            }
        });
        return found;
    }

    static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }

    interface Condition {
        boolean holds() throws Exception;
    }

    static void await(Condition condition) throws Exception {
        while (!condition.holds()) {
            Thread.sleep(10);
        }
    }
}
