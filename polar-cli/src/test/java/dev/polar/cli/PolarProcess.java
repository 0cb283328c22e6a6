package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.wire.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The real command in a process of its own, run out of the distribution that the build made. */
final class PolarProcess implements AutoCloseable {
    private static final Duration READY = Duration.ofMinutes(6);

    private final Process process;
    private final Path out;
    private final Path err;

    private PolarProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** How a command ended. */
    record Finished(int status, String out, String err) {
        JsonNode json() throws IOException {
            return Json.MAPPER.readTree(out);
        }
    }

    static PolarProcess start(Path folder, Map<String, String> environment, String... arguments) throws IOException {
        var lib = Path.of(System.getProperty("polar.root"), "polar-cli", "target", "polar", "lib");
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                lib + "/*",
                Polar.class.getName()));
        command.addAll(List.of(arguments));
        var out = Files.createTempFile("polar-out", ".txt");
        var err = Files.createTempFile("polar-err", ".txt");
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("POLAR_"));
        builder.environment().put("POLAR_LIBERTY_HOME", System.getProperty("polar.liberty.home"));
        // A test ends before the second compiler has earned what it costs.
        builder.environment().put("JVM_ARGS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        builder.environment().putAll(environment);
        return new PolarProcess(builder.start(), out, err);
    }

    /** Runs one that ends by itself. */
    static Finished run(Path folder, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        try (var polar = start(folder, environment, arguments)) {
            if (!polar.process.waitFor(5, TimeUnit.MINUTES)) {
                throw new AssertionError("polar " + String.join(" ", arguments) + " does not end:\n" + polar.err());
            }
            return new Finished(polar.process.exitValue(), Files.readString(polar.out), polar.err());
        }
    }

    /** The line that says it serves. */
    JsonNode ready() throws IOException, InterruptedException {
        var until = System.nanoTime() + READY.toNanos();
        while (System.nanoTime() < until) {
            var lines = Files.readAllLines(out);
            if (!lines.isEmpty() && lines.getFirst().endsWith("}")) {
                return Json.MAPPER.readTree(lines.getFirst());
            }
            if (!process.isAlive()) {
                throw new AssertionError("ended with " + process.exitValue() + ":\n" + err());
            }
            Thread.sleep(50);
        }
        throw new AssertionError("is not ready:\n" + err());
    }

    String err() throws IOException {
        return Files.readString(err);
    }

    /** All processes that it started and that live. */
    List<ProcessHandle> descendants() {
        return process.descendants().toList();
    }

    /** SIGTERM. */
    void terminate() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(2, TimeUnit.MINUTES)) {
            throw new AssertionError("does not end on SIGTERM");
        }
    }

    /** SIGKILL: it cannot say good-bye. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(2, TimeUnit.MINUTES)) {
                process.destroyForcibly();
            }
            Files.deleteIfExists(out);
            Files.deleteIfExists(err);
        } catch (IOException kept) {
            // a temporary file more
        } catch (InterruptedException hurried) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
