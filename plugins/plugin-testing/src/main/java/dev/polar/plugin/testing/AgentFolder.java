package dev.polar.plugin.testing;

import dev.polar.spi.AgentSpec;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.McpServer;
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

/**
 * A session of a harness whose agent is a script, below one folder: {@code session} is the session's own, {@code bin} is on its path, {@code skills} holds skills, {@code cache} what is installed. The
 * model is called {@code a-model}, its key is {@code a-secret}, and nobody answers at its address.
 */
public record AgentFolder(Path folder, String harness) {
    /** Puts a POSIX shell script on the session's path. */
    public AgentFolder program(String name, String lines) throws IOException {
        script(folder.resolve("bin").resolve(name), lines);
        return this;
    }

    /** A POSIX shell script. */
    public static Path script(Path file, String lines) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + lines + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }

    /** @return the folder of skills, with one more in it */
    public String skill(String name) throws IOException {
        var skill = Files.createDirectories(folder.resolve("skills").resolve(name));
        Files.writeString(skill.resolve("SKILL.md"), "---\nname: " + name + "\ndescription: how\n---\nSo.\n");
        return folder.resolve("skills").toString();
    }

    /** The session's own folder. */
    public Path session() {
        return folder.resolve("session");
    }

    public <S extends Record> HarnessContext<S> context(S settings, String instruction) throws IOException {
        return context(settings, instruction, List.of(), null);
    }

    /** @param skills a folder, or null */
    public <S extends Record> HarnessContext<S> context(
            S settings, String instruction, List<McpServer> servers, String skills) throws IOException {
        return context(settings, instruction, servers, skills, Map.of());
    }

    /** @param env the task's, for its agent */
    public <S extends Record> HarnessContext<S> context(
            S settings, String instruction, List<McpServer> servers, String skills, Map<String, String> env)
            throws IOException {
        return new HarnessContext<>(
                new SessionInfo("session", "task", "node", Map.of()),
                new AgentSpec(harness, null, "a-model", null, env, servers, skills, null, null),
                settings,
                instruction,
                new HostRuntimeDouble(session(), Map.of("PATH", folder.resolve("bin") + ":/usr/bin:/bin")),
                new ModelEndpoint(URI.create("http://127.0.0.1:1/s/token"), "a-secret", "a-model"),
                Map.of(),
                folder.resolve("cache"),
                Duration.ofSeconds(60));
    }
}
