package dev.polar.evaluator.testonoutput;

import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.Runtime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Snapshots and patches of a folder in a runtime, by the git that is there. */
final class TreeDiff {
    private static final String FOLDER = Runtime.SESSION_DIR + "/.polar-test-on-output";
    private static final String BEFORE = FOLDER + "/before";
    private static final String AFTER = FOLDER + "/after";
    private static final String PATCH = FOLDER + "/patch";
    private static final String EMPTY = FOLDER + "/empty";
    /** For git over a large tree. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final String SNAPSHOT = resource("snapshot.sh");

    /** {@code $1} after, {@code $2} {@code $3} the trees, {@code $4} the patch. Configuration is that of the new repository alone. */
    private static final String DIFF = """
            export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 LC_ALL=C
            git --git-dir="$1" diff --binary --full-index --no-color --no-ext-diff --no-textconv --no-renames "$2" "$3" > "$4"
            """;

    /** {@code $1} an empty repository, {@code $2} the patch; in the folder. Its attributes keep git from converting line ends. */
    private static final String APPLY = """
            export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 LC_ALL=C
            git init -q --bare "$1" && git --git-dir="$1" config core.bare false && mkdir -p "$1/info" || exit
            echo '* -text !eol !filter !ident !working-tree-encoding' > "$1/info/attributes"
            GIT_DIR="$1" GIT_WORK_TREE="$(pwd -P)" git apply --whitespace=nowarn "$2"
            """;

    /** {@code $1} the task's command, {@code $2} the patch; in the folder. */
    private static final String OWN_PATCH = Shells.BEST + "mkdir -p \"${2%/*}\" && \"$shell\" -c \"$1\" > \"$2\"";

    private TreeDiff() {}

    /**
     * The tree as it is now.
     *
     * @throws ExtensionException where there is no such folder, or no git
     */
    static String before(Runtime runtime, String folder) throws InterruptedException {
        requireFolder(runtime, folder, "once the runtime is prepared");
        return snapshot(runtime, List.of(runtime.path(BEFORE), runtime.path(folder)));
    }

    /** The difference between an earlier tree and the folder as it is now. */
    static Patch since(Runtime runtime, String folder, String tree, Path scratch) throws InterruptedException {
        var objects = runtime.path(BEFORE) + "/objects";
        var now = snapshot(runtime, List.of(runtime.path(AFTER), runtime.path(folder), objects, tree));
        must(runtime, DIFF, "/", PATIENCE, runtime.path(AFTER), tree, now, runtime.path(PATCH));
        return fetch(runtime, scratch);
    }

    /** What the task's own command prints. */
    static Patch printed(Runtime runtime, String folder, String command, Path scratch) throws InterruptedException {
        var result = sh(runtime, OWN_PATCH, folder, PATIENCE, command, runtime.path(PATCH));
        if (!result.succeeded()) {
            throw new ExtensionException(
                    Category.REQUEST, "evaluator.config.patch_command: '" + command + "' " + ended(result));
        }
        return fetch(runtime, scratch);
    }

    /** Applies a patch whole or not at all. */
    static ExecResult apply(Runtime runtime, String folder, Path patch, Duration timeout) throws InterruptedException {
        runtime.upload(patch, PATCH);
        return sh(runtime, APPLY, folder, timeout, runtime.path(EMPTY), runtime.path(PATCH));
    }

    static boolean exists(Runtime runtime, String folder) throws InterruptedException {
        return runtime.exec(ExecRequest.of("test", "-d", runtime.path(folder))).succeeded();
    }

    private static void requireFolder(Runtime runtime, String folder, String when) throws InterruptedException {
        if (!exists(runtime, folder)) {
            throw new ExtensionException(
                    Category.REQUEST,
                    "evaluator.config.repo_dir: there is no folder '" + folder + "' in the runtime " + when);
        }
        if (!sh(runtime, "command -v git", "/", PATIENCE).succeeded()) {
            throw new ExtensionException(
                    Category.REQUEST,
                    "test_on_output needs git in the runtime to see what the agent changed: install it in"
                            + " runtime.prepare, or set evaluator.config.patch_command");
        }
    }

    private static String snapshot(Runtime runtime, List<String> arguments) throws InterruptedException {
        return must(runtime, SNAPSHOT, "/", PATIENCE, arguments.toArray(String[]::new))
                .stdout()
                .strip();
    }

    private static Patch fetch(Runtime runtime, Path scratch) throws InterruptedException {
        try {
            Files.createDirectories(scratch);
            var copy = scratch.resolve("agent.patch");
            runtime.download(PATCH, copy);
            return Patch.of(Files.readAllBytes(copy));
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    private static ExecResult must(Runtime runtime, String script, String cwd, Duration timeout, String... arguments)
            throws InterruptedException {
        var result = sh(runtime, script, cwd, timeout, arguments);
        if (!result.succeeded()) {
            throw new ExtensionException(
                    Category.INFRASTRUCTURE, "the agent's changes cannot be read: git " + ended(result));
        }
        return result;
    }

    private static ExecResult sh(Runtime runtime, String script, String cwd, Duration timeout, String... arguments)
            throws InterruptedException {
        var command = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
        command.addAll(List.of(arguments));
        return runtime.exec(
                ExecRequest.of(command.toArray(String[]::new)).withCwd(cwd).withTimeout(timeout));
    }

    private static String ended(ExecResult result) {
        var how = result.timedOut() ? "timed out" : "ended with exit code " + result.exitCode();
        var said = result.stderr().strip().lines().reduce((first, last) -> last).orElse("");
        return said.isEmpty() ? how : how + ": " + said;
    }

    private static String resource(String name) {
        try (var in = TreeDiff.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
