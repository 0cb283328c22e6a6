package dev.polar.gateway;

import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.PrepareAction;
import dev.polar.spi.Runtime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Runs a runtime's prepare actions. What a command printed is kept in the session's logs. Actions are counted from 0, as {@code prepare[0]} is in the paths of other messages.
 *
 * @param roots where uploads may come from
 * @param logs folder on the node
 */
record Preparation(UploadRoots roots, Path logs) {

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
        try {
            return roots.resolve(named, folder);
        } catch (ExtensionException refused) {
            throw new ExtensionException(refused.category(), failed(index) + ": " + Messages.of(refused), refused);
        }
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
