package dev.polar.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.cli.Needed;
import dev.polar.wire.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Programs of others that read exports. They are Python's, and run where one has them: the one that POLAR_READERS names, the build's own, or the machine's. */
public final class Readers {
    private Readers() {}

    /**
     * What a reader found: by file, rows and sums.
     *
     * @param reader {@code pyarrow}, {@code datasets} or {@code harbor}: skipped where no Python has it, unless POLAR_REQUIRE names it
     * @param folder with {@code FORMAT.jsonl} and {@code FORMAT.parquet} of every format
     */
    public static JsonNode read(String reader, Path folder) throws IOException, InterruptedException {
        var module = reader.equals("harbor") ? "harbor.models.trajectories" : reader;
        var python = python(module);
        Needed.thing(reader, python.isPresent(), "it is in no Python here");
        var script = folder.resolve("read_exports.py");
        try (InputStream source = Readers.class.getResourceAsStream("read_exports.py")) {
            Files.write(script, source.readAllBytes());
        }
        return Json.MAPPER.readTree(run(python.get(), script.toString(), reader, folder.toString()));
    }

    private static Optional<String> python(String module) throws InterruptedException {
        var candidates = new ArrayList<String>();
        Optional.ofNullable(System.getenv("POLAR_READERS")).ifPresent(candidates::add);
        candidates.add(Path.of(System.getProperty("user.home"), ".cache", "polar", "readers", "bin", "python3")
                .toString());
        candidates.add("python3");
        for (var python : candidates) {
            try {
                run(python, "-c", "import " + module);
                return Optional.of(python);
            } catch (IOException | AssertionError hasNone) {
                // the next may have it
            }
        }
        return Optional.empty();
    }

    private static String run(String... command) throws IOException, InterruptedException {
        var err = Files.createTempFile("reader", ".err");
        try {
            var builder = new ProcessBuilder(List.of(command)).redirectError(err.toFile());
            builder.environment().put("HF_DATASETS_OFFLINE", "1");
            builder.environment().put("HF_HUB_OFFLINE", "1");
            var process = builder.start();
            process.getOutputStream().close();
            var out = new String(process.getInputStream().readAllBytes());
            assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).as(Files.readString(err)).isZero();
            return out;
        } finally {
            Files.deleteIfExists(err);
        }
    }
}
