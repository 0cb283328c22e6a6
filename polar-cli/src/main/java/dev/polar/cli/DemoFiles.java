package dev.polar.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.stream.Stream;

/**
 * The files of one demo: a copy of the example, and what the run makes.
 *
 * @param folder absolute
 * @param task in it
 */
record DemoFiles(Path folder, Path task) {
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");
    private static final String SHELL = "shell";

    /**
     * Copies the example.
     *
     * @param harness whose task file is taken
     * @param folder null for a new one
     * @throws UserException where the harness has no task or cannot run here, or the folder cannot be made
     */
    static DemoFiles make(Distribution distribution, String harness, Path folder) throws IOException {
        var example = distribution.example("calculator");
        var name = harness.equals(SHELL) ? "task.yaml" : "task_" + harness + ".yaml";
        if (!Files.exists(example.resolve(name))) {
            throw new UserException(
                    "--harness: the demo has no task for '" + harness + "' (known: " + known(example) + ")");
        }
        if (!harness.equals(SHELL) && Programs.find("node").isEmpty()) {
            throw new UserException("--harness " + harness
                    + ": Node.js is not on the PATH, and this agent runs on it: install Node.js 20 or later");
        }
        var place = (folder != null
                        ? folder
                        : Path.of(".polar", "demo-" + LocalDateTime.now().format(STAMP)))
                .toAbsolutePath()
                .normalize();
        try {
            Files.createDirectories(place);
            try (Stream<Path> files = Files.list(example)) {
                for (var file : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(
                            file, place.resolve(file.getFileName()), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
                }
            }
        } catch (IOException refused) {
            throw new UserException(
                    "cannot write " + place + " (" + refused.getMessage() + "): choose another --dir", refused);
        }
        return new DemoFiles(place, place.resolve(name));
    }

    private static String known(Path example) throws IOException {
        try (Stream<Path> files = Files.list(example)) {
            var agents = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("task_") && name.endsWith(".yaml"))
                    .map(name -> name.substring("task_".length(), name.length() - ".yaml".length()))
                    .sorted()
                    .toList();
            return SHELL + ", " + String.join(", ", agents);
        }
    }

    Path topology() {
        return folder.resolve("topology.yaml");
    }

    Path scenario() {
        return folder.resolve("scenario.yaml");
    }

    Path results() {
        return folder.resolve("results");
    }

    Path state() {
        return folder.resolve("state");
    }

    Path server() {
        return folder.resolve("server");
    }
}
