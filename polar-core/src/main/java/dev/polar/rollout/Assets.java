package dev.polar.rollout;

import dev.polar.server.ProblemException;
import dev.polar.spi.PrepareAction;
import dev.polar.spi.RuntimeSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The local files that a task's sandboxes are made from: looked for once, before the task is fanned out to nodes that would each fail. */
final class Assets {
    private Assets() {}

    /** @throws ProblemException 503 that names the first missing one */
    static void check(RuntimeSpec runtime) {
        if (runtime == null) {
            return;
        }
        var image = runtime.image();
        if (image != null && missing(image)) {
            throw new ProblemException(
                    503,
                    "runtime.image: " + image
                            + " does not exist on the rollout server: put it there or name another image");
        }
        actions(runtime)
                .map(Assets::source)
                .filter(Objects::nonNull)
                .filter(Assets::missing)
                .findFirst()
                .ifPresent(source -> {
                    throw new ProblemException(
                            503,
                            "runtime.prepare: the upload source " + source
                                    + " does not exist on the rollout server: put it there or correct the path");
                });
    }

    private static Stream<PrepareAction> actions(RuntimeSpec runtime) {
        var fresh = runtime.evalPrepare() == null ? List.<PrepareAction>of() : runtime.evalPrepare();
        return Stream.concat(runtime.prepare().stream(), fresh.stream());
    }

    private static String source(PrepareAction action) {
        return switch (action) {
            case PrepareAction.UploadFile file -> file.source();
            case PrepareAction.UploadDir folder -> folder.source();
            case PrepareAction.Exec command -> null;
        };
    }

    private static boolean missing(String path) {
        return path.startsWith("/") && !Files.exists(Path.of(path));
    }
}
