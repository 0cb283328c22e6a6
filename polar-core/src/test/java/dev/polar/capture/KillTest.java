package dev.polar.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.topology.GatewayConfig.Persistence;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KillTest {
    /** More with {@code -Dpolar.kills=200}. */
    private static final int KILLS = Integer.getInteger("polar.kills", 3);

    @TempDir
    private Path directory;

    @Test
    void f11_a_killed_process_leaves_every_acknowledged_completion_behind() throws Exception {
        var random = new Random(11);
        for (int kill = 0; kill < KILLS; kill++) {
            var records = Files.createDirectory(directory.resolve("kill" + kill));
            int acknowledged = killAfter(records, 1 + random.nextInt(60), random.nextInt(3_000));

            var recorder =
                    new RecordStore(records, Persistence.DEFAULT).find("s").orElseThrow();

            assertThat(recorder.completionCount()).isGreaterThanOrEqualTo(acknowledged);
            var calls = new RecordedCalls(recorder);
            calls.call("1", "2").record();
            var record = calls.seal(9);
            assertThat(record.completions()).hasSize(recorder.completionCount());
            for (int turn = 0; turn < acknowledged; turn++) {
                var completion = record.completions().get(turn);
                assertThat(completion.promptLength()).isEqualTo(20 * turn + 10);
                assertThat(completion.responseIds()).startsWith(20 * turn + 10).hasSize(10);
                assertThat(completion.logprobs()).isEqualTo(RecordedCalls.logprobs(turn + 1, 10));
            }
        }
    }

    /** Kills a writer some time after its {@code count}th answer; returns how many it had acknowledged. */
    private static int killAfter(Path records, int count, int micros) throws IOException, InterruptedException {
        var process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                                .replace("\n", File.pathSeparator),
                        KilledWriter.class.getName(),
                        records.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = process.inputReader()) {
            int acknowledged = 0;
            while (acknowledged < count) {
                acknowledged = Integer.parseInt(out.readLine());
            }
            Thread.sleep(micros / 1000, micros % 1000 * 1000);
            // The handle, since the process itself would close what it has printed.
            process.toHandle().destroyForcibly();
            for (var line = out.readLine(); line != null; line = out.readLine()) {
                acknowledged = Math.max(acknowledged, whole(line, acknowledged));
            }
            process.waitFor();
            return acknowledged;
        } finally {
            process.destroyForcibly();
        }
    }

    /** The last line may have been cut off: then it is less than the one before. */
    private static int whole(String line, int before) {
        return line.isEmpty() ? before : Integer.parseInt(line);
    }
}
