package dev.polar.gateway;

import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.PrepareAction;
import dev.polar.spi.Runtime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Runs a runtime's prepare actions. What a command printed is kept in the session's logs. Actions are counted from 0, as {@code prepare[0]} is in the paths of other messages.
 *
 * @param roots folders that uploads may come from; empty for any
 * @param logs folder on the node
 */
record Preparation(List<Path> roots, Path logs) {

    /** @throws ExtensionException for the first action that fails */
    void run(Runtime runtime, List<PrepareAction> actions) throws InterruptedException {
        for (int index = 0; index < actions.size(); index++) {
            switch (actions.get(index)) {
                case PrepareAction.UploadFile upload ->
                    upload(runtime, index, source(index, upload.source(), false), upload.target());
                case PrepareAction.UploadDir upload ->
                    upload(runtime, index, source(index, upload.source(), true), upload.target());
                case PrepareAction.Exec exec -> exec(runtime, index, exec);
            }
        }
    }

    private static void upload(Runtime runtime, int index, Path source, String target) throws InterruptedException {
        try {
            runtime.upload(source, target);
        } catch (ExtensionException problem) {
            throw new ExtensionException(
                    problem.category(),
                    failed(index) + ": " + source + " to " + target + ": " + Messages.of(problem),
                    problem);
        }
    }

    private Path source(int index, String named, boolean folder) {
        var source = Path.of(named);
        if (!(folder ? Files.isDirectory(source) : Files.isRegularFile(source))) {
            throw new ExtensionException(
                    Category.REQUEST,
                    failed(index) + ": there is no " + (folder ? "folder " : "file ") + named + " on this node");
        }
        try {
            // Links are resolved: one that leads out of the roots is as far away as what it points to.
            var real = source.toRealPath();
            for (var root : roots) {
                if (Files.exists(root) && real.startsWith(root.toRealPath())) {
                    return real;
                }
            }
            if (roots.isEmpty()) {
                return real;
            }
        } catch (IOException problem) {
            throw new ExtensionException(
                    Category.INFRASTRUCTURE,
                    failed(index) + ": " + named + " cannot be read: " + Messages.of(problem),
                    problem);
        }
        throw new ExtensionException(
                Category.REQUEST,
                failed(index) + ": " + named
                        + " is in none of the folders that uploads may come from (the node's roots: "
                        + String.join(", ", roots.stream().map(Path::toString).toList()) + ")");
    }

    private void exec(Runtime runtime, int index, PrepareAction.Exec action) throws InterruptedException {
        ExecResult result = null;
        for (int attempt = 1; attempt <= action.maxAttempts(); attempt++) {
            if (attempt > 1) {
                Thread.sleep(Duration.ofNanos((long) (action.retryBackoffSeconds() * 1e9)));
            }
            var log = logs.resolve("prepare-" + index + (attempt == 1 ? "" : "-attempt-" + attempt) + ".log");
            result = runtime.exec(ExecRequest.shell(action.command())
                    .withCwd(action.cwd())
                    .withEnv(action.env())
                    .withOutputFiles(log, log));
            if (result.succeeded()) {
                return;
            }
        }
        throw new ExtensionException(
                Category.REQUEST,
                failed(index) + " with exit code " + result.exitCode()
                        + (result.outOfMemory() ? ": out of memory" : ""));
    }

    private static String failed(int index) {
        return "prepare action " + index + " failed";
    }
}
