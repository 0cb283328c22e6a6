package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LibertyServerTest {
    @TempDir
    Path folder;

    private Path build;
    private Path server;
    private Path unpacked;

    @BeforeEach
    void served() throws IOException {
        build = Files.writeString(folder.resolve("build.war"), "one build");
        server = Files.createDirectories(folder.resolve("server"));
        LibertyServer.takeWar(build, server);
        unpacked = server.resolve("out/polar/workarea/old.jar");
        Files.createDirectories(unpacked.getParent());
        Files.writeString(unpacked, "classes of that build");
    }

    @Test
    void a_server_that_serves_the_same_build_again_finds_what_it_unpacked() throws IOException {
        LibertyServer.takeWar(build, server);

        assertThat(unpacked).exists();
    }

    @Test
    void a_server_that_serves_another_build_finds_nothing_of_the_old_one() throws IOException {
        Files.writeString(build, "two build");
        LibertyServer.takeWar(build, server);

        assertThat(unpacked).doesNotExist();
        assertThat(server.resolve("polar.war")).hasContent("two build");
    }
}
