package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When the script {@code polar} builds: in a house with the same folders, whose Maven is a double that takes notes. */
class ScriptTest {
    private static final FileTime LATER = FileTime.from(Instant.now().plusSeconds(60));

    @TempDir
    Path house;

    @BeforeEach
    void build() throws Exception {
        var root = Path.of("..");
        copy(root.resolve("polar"), "polar");
        copy(Path.of("src/main/bash/jdk.sh"), "polar-cli/src/main/bash/jdk.sh");
        write("pom.xml", "<liberty.version>1</liberty.version>");
        write("server.xml", "");
        write("examples/calculator/task.yaml", "");
        write("liberty/bin/server", "");
        write("bin/mvn", "#!/bin/sh\necho built >> '" + house.resolve("built") + "'\n");
        for (var program : new String[] {"polar", "liberty/bin/server", "bin/mvn"}) {
            assertThat(house.resolve(program).toFile().setExecutable(true)).isTrue();
        }
        run();
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void nothing_changed_nothing_built() throws Exception {
        run();
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void a_changed_source_or_example_is_built() throws Exception {
        Files.setLastModifiedTime(house.resolve("examples/calculator/task.yaml"), LATER);
        run();
        assertThat(builds()).isEqualTo(2);

        Files.setLastModifiedTime(house.resolve("polar-cli/src/main/bash/jdk.sh"), LATER);
        Files.setLastModifiedTime(house.resolve("examples/calculator/task.yaml"), FileTime.from(Instant.EPOCH));
        run();
        assertThat(builds()).isEqualTo(3);
    }

    @Test
    void what_servers_and_agents_leave_beside_an_example_is_no_change() throws Exception {
        for (var left : new String[] {".polar/server/log", "__pycache__/agent.pyc"}) {
            write("examples/calculator/" + left, "");
            Files.setLastModifiedTime(house.resolve("examples/calculator/" + left), LATER);
        }
        Files.setLastModifiedTime(house.resolve("examples/calculator"), LATER);
        run();
        assertThat(builds()).isEqualTo(1);
    }

    private void copy(Path from, String to) throws IOException {
        write(to, Files.readString(from));
    }

    private void write(String file, String text) throws IOException {
        Files.createDirectories(house.resolve(file).getParent());
        Files.writeString(house.resolve(file), text);
    }

    private long builds() throws IOException {
        try (var lines = Files.lines(house.resolve("built"))) {
            return lines.count();
        }
    }

    /** What follows the build fails here, as this house has no classes. */
    private void run() throws IOException, InterruptedException {
        var builder = new ProcessBuilder(house.resolve("polar").toString())
                .redirectErrorStream(true)
                .redirectOutput(house.resolve("output").toFile());
        var environment = builder.environment();
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.put("POLAR_LIBERTY_HOME", house.resolve("liberty").toString());
        environment.put("PATH", house.resolve("bin") + ":" + environment.get("PATH"));
        var process = builder.start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(house.resolve("output")).content().contains("dev.polar.cli.Polar");
    }
}
