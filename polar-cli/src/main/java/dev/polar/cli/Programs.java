package dev.polar.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Programs of this machine. */
final class Programs {
    private static final int VERSION_SECONDS = 10;

    private Programs() {}

    /** The program of that name on the PATH. */
    static Optional<Path> find(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, name))
                .filter(path -> Files.isExecutable(path) && !Files.isDirectory(path))
                .findFirst();
    }

    /** What it says to {@code --version}, its first line. */
    static String version(Path program) throws InterruptedException {
        try {
            var process = new ProcessBuilder(program.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            if (!process.waitFor(VERSION_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return "(no version within " + VERSION_SECONDS + " s)";
            }
            return new String(process.getInputStream().readAllBytes())
                    .lines()
                    .findFirst()
                    .orElse("");
        } catch (IOException cannotRun) {
            return "(cannot be run: " + cannotRun.getMessage() + ")";
        }
    }
}
