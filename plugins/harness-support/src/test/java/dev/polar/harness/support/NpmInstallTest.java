package dev.polar.harness.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.spi.ExtensionException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NpmInstallTest {
    static final NpmPackage PACKAGE =
            new NpmPackage("an_agent", "@agents/agent", "agent", "1.2.3", "1.2.3", 0, null, false);

    @TempDir
    Path folder;

    @Test
    void a_machine_without_npm_is_told_in_one_line() {
        assertThatThrownBy(
                        () -> new NpmInstall(PACKAGE, folder, "no-such-npm").version("1.2.3", Duration.ofSeconds(10)))
                .isInstanceOf(ExtensionException.class)
                .hasMessageContaining("install Node.js 20 or later, or agent itself")
                .hasMessageNotContaining("\n");
    }

    @Test
    void an_installation_that_fails_leaves_nothing_and_says_what_npm_said() throws Exception {
        var npm = script("echo partial > $3/x; echo 'E404 no such version'; exit 1");

        assertThatThrownBy(() -> new NpmInstall(PACKAGE, cache(), npm).version("1.2.3", Duration.ofSeconds(10)))
                .isInstanceOf(ExtensionException.class)
                .hasMessageContaining("npm install @agents/agent@1.2.3 failed (exit code 1)")
                .hasMessageContaining("E404 no such version");
        assertThat(cache()).isDirectoryNotContaining(file -> !file.toString().endsWith(".lock"));
    }

    @Test
    void sessions_that_start_at_once_install_it_once_and_cannot_write_to_it() throws Exception {
        var npm = script("echo run >> " + folder + "/runs; b=$3/node_modules/.bin; mkdir -p $b;"
                + " printf '#!/bin/sh\\necho 1.2.3\\n' > $b/agent; chmod 755 $b/agent; sleep 0.3");
        Callable<Path> install = () -> new NpmInstall(PACKAGE, cache(), npm).version("1.2.3", Duration.ofSeconds(30));

        List<Path> homes;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            homes = threads.invokeAll(List.of(install, install, install)).stream()
                    .map(future -> future.resultNow())
                    .toList();
        }

        assertThat(folder.resolve("runs")).hasContent("run\n");
        assertThat(homes).containsOnly(cache().resolve("1.2.3"));
        var program = new NpmInstall(PACKAGE, cache(), npm).program(homes.getFirst());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(program)))
                .isEqualTo("r-xr-xr-x");
        assertThat(cache()).isDirectoryNotContaining(file -> file.toString().contains(".new-"));
    }

    @Test
    void a_version_that_is_locked_is_installed_by_its_lock_and_another_by_its_name() throws Exception {
        var npm = script("echo \"$1 $7\" >> " + folder + "/asked; cat $3/package*.json > " + folder + "/seen; exit 1");

        for (var version : List.of("7.7.7", "1.2.3")) {
            assertThatThrownBy(() -> new NpmInstall(PACKAGE, cache(), npm).version(version, Duration.ofSeconds(10)))
                    .isInstanceOf(ExtensionException.class);
            if (version.equals("7.7.7")) {
                assertThat(folder.resolve("seen"))
                        .content()
                        .contains("\"lockfileVersion\": 3", "{\"dependencies\":{\"@agents/agent\":\"7.7.7\"}}");
            }
        }

        assertThat(folder.resolve("asked")).hasContent("install \ninstall @agents/agent@1.2.3\n");
    }

    @Test
    void a_program_that_is_to_be_locked_and_is_not_is_told_to_whoever_pinned_it() {
        var forgotten = new NpmPackage("an_agent", "@agents/agent", "agent", "8.8.8", "8.8.8", 0, null, true);

        assertThatThrownBy(() -> new NpmInstall(forgotten, cache(), "npm").version("8.8.8", Duration.ofSeconds(10)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("an_agent has no lock of @agents/agent 8.8.8");
    }

    @Test
    void an_installation_of_another_process_is_waited_for() throws Exception {
        var npm = script("b=$3/node_modules/.bin; mkdir -p $b;"
                + " printf '#!/bin/sh\\necho 1.2.3\\n' > $b/agent; chmod 755 $b/agent");
        var install = new NpmInstall(PACKAGE, cache(), npm);
        var holder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockHolder.class.getName(),
                        cache().resolve(".1.2.3.lock").toString())
                .start();
        try {
            assertThat(holder.inputReader().readLine()).isEqualTo("locked");
            assertThatThrownBy(() -> install.version("1.2.3", Duration.ofMillis(300)))
                    .isInstanceOf(ExtensionException.class)
                    .hasMessageContaining("the installation of @agents/agent did not end in time");
        } finally {
            holder.destroyForcibly().waitFor();
        }

        assertThat(install.version("1.2.3", Duration.ofSeconds(30))).isEqualTo(cache().resolve("1.2.3"));
    }

    @Test
    void npm_sees_no_secret_of_the_server() throws Exception {
        var npm = script("env > " + folder + "/seen; exit 1");

        assertThatThrownBy(() -> new NpmInstall(PACKAGE, cache(), npm).version("1.2.3", Duration.ofSeconds(10)))
                .isInstanceOf(ExtensionException.class);
        assertThat(Files.readAllLines(folder.resolve("seen")))
                .isNotEmpty()
                .noneMatch(line -> line.startsWith("POLAR_") || line.startsWith("MAVEN_") || line.startsWith("JAVA_"));
    }

    private Path cache() throws Exception {
        return Files.createDirectories(folder.resolve("cache"));
    }

    /** A stand-in for npm; {@code $3} is the folder that it is to install into. */
    private String script(String lines) throws Exception {
        var file = Files.writeString(folder.resolve("npm"), "#!/bin/sh\n" + lines + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file.toString();
    }
}
