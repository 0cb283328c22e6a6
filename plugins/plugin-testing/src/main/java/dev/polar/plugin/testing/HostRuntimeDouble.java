package dev.polar.plugin.testing;

import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.Runtime;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs commands on this machine, in a folder that stands for the session's. A double: it contains nothing and limits nothing. */
public final class HostRuntimeDouble implements Runtime {
    private final Path session;
    private final Map<String, String> env = new LinkedHashMap<>();

    /**
     * @param session made where it is missing, with a home and a workspace in it
     * @param env all that its commands see, beside HOME and TMPDIR; PATH is needed
     */
    public HostRuntimeDouble(Path session, Map<String, String> env) throws IOException {
        this.session = Files.createDirectories(session);
        Files.createDirectories(session.resolve("workspace"));
        Files.createDirectories(session.resolve("home"));
        this.env.putAll(env);
        this.env.put("HOME", session.resolve("home").toString());
        this.env.put("TMPDIR", session.toString());
    }

    @Override
    public ExecResult exec(ExecRequest request) throws InterruptedException {
        try {
            var out = Files.createTempFile("out", "");
            var err = Files.createTempFile("err", "");
            var builder = new ProcessBuilder(request.command())
                    .directory(new File(request.cwd() == null ? path(SESSION_DIR + "/workspace") : path(request.cwd())))
                    .redirectInput(new File("/dev/null"))
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().clear();
            builder.environment().putAll(env);
            builder.environment().putAll(request.env());
            var process = builder.start();
            boolean ended = request.timeout() == null
                    ? process.waitFor() >= 0
                    : process.waitFor(request.timeout().toNanos(), TimeUnit.NANOSECONDS);
            process.destroyForcibly().waitFor();
            var stdout = new String(Files.readAllBytes(out), StandardCharsets.UTF_8);
            var stderr = new String(Files.readAllBytes(err), StandardCharsets.UTF_8);
            Files.delete(out);
            Files.delete(err);
            return new ExecResult(process.exitValue(), !ended, false, stdout, stderr, stdout.length(), stderr.length());
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    @Override
    public void upload(Path source, String target) {
        copy(source, Path.of(path(target)));
    }

    @Override
    public void download(String source, Path target) {
        copy(Path.of(path(source)), target);
    }

    private static void copy(Path source, Path target) {
        try (var files = Files.walk(source)) {
            for (var file : files.toList()) {
                var copy = target.resolve(source.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.createDirectories(copy.getParent());
                    Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    @Override
    public String path(String sandboxPath) {
        return sandboxPath.startsWith(SESSION_DIR)
                ? session + sandboxPath.substring(SESSION_DIR.length())
                : sandboxPath;
    }

    @Override
    public void endProcesses() {}

    @Override
    public void stop() {}
}
