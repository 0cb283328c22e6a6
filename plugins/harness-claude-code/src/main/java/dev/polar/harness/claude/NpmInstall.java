package dev.polar.harness.claude;

import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * Installs the program once for all sessions: into a folder of its own, tried there, then renamed into place, so that what is in place is whole. Thread-safe; one installation of a version at a
 * time, and those who come meanwhile wait for it.
 */
final class NpmInstall {
    static final String PACKAGE = "@anthropic-ai/claude-code";

    private static final Path PROGRAM = Path.of("node_modules", ".bin", "claude");
    private static final Duration TRIAL = Duration.ofSeconds(60);
    private static final int SHOWN_CHARACTERS = 2_000;

    /** What npm needs of the server's environment, and nothing else: packages may run code while they are installed. */
    private static final Set<String> PASSED = Set.of("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "USER");

    private static final List<String> PASSED_PREFIXES = List.of(
            "npm_config_",
            "NPM_CONFIG_",
            "NODE_",
            "SSL_CERT_",
            "http_proxy",
            "https_proxy",
            "no_proxy",
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "NO_PROXY");

    private static final Map<Path, ReentrantLock> LOCKS = new ConcurrentHashMap<>();

    private final Path folder;
    private final String npm;

    /**
     * @param folder of this harness in the node's cache
     * @param npm the program, by name or path
     */
    NpmInstall(Path folder, String npm) {
        this.folder = folder;
        this.npm = npm;
    }

    /** The folder of the installed version, in which {@link #program} is; installs it where it is not there yet. */
    Path version(String version, Duration remaining) throws InterruptedException {
        var home = folder.resolve(version);
        var lock = LOCKS.computeIfAbsent(home, none -> new ReentrantLock());
        lock.lockInterruptibly();
        try {
            if (!Files.exists(program(home))) {
                install(version, home, remaining);
            }
            return home;
        } catch (IOException problem) {
            throw new ExtensionException(
                    Category.INFRASTRUCTURE, "cannot install " + PACKAGE + " in " + home + ": " + problem, problem);
        } finally {
            lock.unlock();
        }
    }

    /** The program in an installed version's folder. */
    static Path program(Path home) {
        return home.resolve(PROGRAM);
    }

    private void install(String version, Path home, Duration remaining) throws IOException, InterruptedException {
        var trial = folder.resolve(version + ".new-" + UUID.randomUUID());
        Files.createDirectories(trial);
        try {
            var wanted = PACKAGE + "@" + version;
            var installed = run(
                    trial,
                    remaining,
                    List.of(
                            npm,
                            "install",
                            "--prefix",
                            trial.toString(),
                            "--no-audit",
                            "--no-fund",
                            "--no-progress",
                            wanted));
            if (installed.code() != 0) {
                throw failed("npm install " + wanted + " failed", installed);
            }
            if (!works(trial)) {
                // Some npm settings keep packages from finishing their own installation: the native program is then not
                // linked.
                run(trial, TRIAL, List.of("node", "node_modules/" + PACKAGE + "/install.cjs"));
            }
            var tried = tryOut(trial);
            if (tried.code() != 0) {
                throw failed("the installed " + wanted + " does not start", tried);
            }
            protect(trial);
            Files.move(trial, home, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            delete(trial);
        }
    }

    private boolean works(Path home) throws IOException, InterruptedException {
        return Files.exists(program(home)) && tryOut(home).code() == 0;
    }

    private Ended tryOut(Path home) throws IOException, InterruptedException {
        return run(home, TRIAL, List.of(program(home).toString(), "--version"));
    }

    private record Ended(int code, String output) {}

    private Ended run(Path cwd, Duration limit, List<String> command) throws IOException, InterruptedException {
        var output = Files.createTempFile(folder, "output", ".log");
        try {
            var builder = new ProcessBuilder(command)
                    .directory(cwd.toFile())
                    .redirectErrorStream(true)
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(output.toFile());
            builder.environment().keySet().removeIf(name -> !passed(name));
            Process process;
            try {
                process = builder.start();
            } catch (IOException missing) {
                if (!command.getFirst().equals(npm)) {
                    throw missing;
                }
                throw new ExtensionException(
                        Category.REQUEST,
                        "claude_code: there is no claude on the runtime's path, and no npm on this node to install it:"
                                + " install Node.js 20 or later, or claude itself",
                        missing);
            }
            return new Ended(ended(process, limit), Files.readString(output));
        } finally {
            Files.deleteIfExists(output);
        }
    }

    private static int ended(Process process, Duration limit) throws InterruptedException {
        try {
            if (process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                return process.exitValue();
            }
            throw new ExtensionException(
                    Category.TIMEOUT,
                    "the installation of " + PACKAGE + " did not end within " + limit.toSeconds() + " s");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static boolean passed(String name) {
        return PASSED.contains(name) || PASSED_PREFIXES.stream().anyMatch(name::startsWith);
    }

    private static ExtensionException failed(String what, Ended ended) {
        var said = ended.output().strip();
        var end = said.substring(Math.max(0, said.length() - SHOWN_CHARACTERS))
                .lines()
                .collect(Collectors.joining(" | "));
        return new ExtensionException(
                Category.INFRASTRUCTURE, "claude_code: " + what + " (exit code " + ended.code() + "): " + end);
    }

    /** Takes the files' write permission: sessions share them. Folders keep theirs, so that a cache can be deleted as usual. */
    private static void protect(Path home) throws IOException {
        walk(home, file -> {
            if (!Files.isSymbolicLink(file)) {
                var mode = Files.getPosixFilePermissions(file);
                mode.removeIf(permission -> permission.name().endsWith("_WRITE"));
                Files.setPosixFilePermissions(file, mode);
            }
        });
    }

    private interface FileStep {
        void take(Path file) throws IOException;
    }

    private static void walk(Path root, FileStep step) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                step.take(file);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    static void delete(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException problem) throws IOException {
                Files.delete(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
