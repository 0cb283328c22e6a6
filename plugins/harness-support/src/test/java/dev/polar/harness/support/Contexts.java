package dev.polar.harness.support;

import dev.polar.plugin.testing.HostRuntimeDouble;
import dev.polar.spi.AgentSpec;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.ModelEndpoint;
import dev.polar.spi.SessionInfo;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Sessions of an agent that is a script. */
final class Contexts {
    record Settings(String version, Install install, Long samplingSeed, Map<String, Object> modelKwargs)
            implements AgentSettings {}

    private Contexts() {}

    static Settings settings(String version) {
        return new Settings(version, Install.AUTO, null, Map.of());
    }

    static HarnessContext<Settings> context(Path folder, String version, Install install) throws IOException {
        return context(folder, new Settings(version, install, null, Map.of()), null);
    }

    static HarnessContext<Settings> context(Path folder, Settings settings, Path skills) throws IOException {
        return new HarnessContext<>(
                new SessionInfo("session", "task", "node", Map.of()),
                new AgentSpec(
                        "an_agent",
                        null,
                        "a-model",
                        null,
                        null,
                        List.of(),
                        skills == null ? null : skills.toString(),
                        null,
                        null),
                settings,
                "an instruction",
                new HostRuntimeDouble(
                        folder.resolve("session"), Map.of("PATH", folder.resolve("bin") + ":/usr/bin:/bin")),
                new ModelEndpoint(URI.create("http://127.0.0.1:1"), "a-key", "a-model"),
                Map.of(),
                folder.resolve("cache"),
                Duration.ofSeconds(60));
    }

    static Path script(Path file, String lines) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + lines + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }
}
