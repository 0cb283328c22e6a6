package dev.polar.harness.support;

import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Installs an agent's program once for all sessions of all servers that share the cache: into a folder of its own, tried there, then renamed into place, so that what is in place is whole, and
 * without write permission for anybody. Where a harness has a {@link NpmLock}, everything that the program is made of is what that says. One installation of a version at a time, by whichever process; those who come meanwhile wait for it. Thread-safe.
 */
public final class NpmInstall {
    private static final Duration TRIAL = Duration.ofSeconds(60);
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final long LOOK_AGAIN_MS = 100;
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

    private final NpmPackage npmPackage;
    private final Path folder;
    private final String npm;

    /**
     * @param folder of this harness in the node's cache; made where it is missing
     * @param npm the program that installs, by name or path
     */
    public NpmInstall(NpmPackage npmPackage, Path folder, String npm) {
        this.npmPackage = npmPackage;
        this.folder = folder;
        this.npm = npm;
    }

    /**
     * The folder of the installed version, in which {@link #program} is; installs it where it is not there yet.
     *
     * @param remaining how long this may take
     * @throws ExtensionException where it cannot be installed; nothing of the attempt is left
     */
    public Path version(String version, Duration remaining) throws InterruptedException {
        var home = folder.resolve(version);
        try {
            if (!Files.exists(program(home))) {
                var until = System.nanoTime() + (remaining.compareTo(LONGEST) > 0 ? LONGEST : remaining).toNanos();
                Files.createDirectories(folder);
                try (var file = FileChannel.open(
                                lockFile(version), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                        var lock = lock(file, until)) {
                    if (!Files.exists(program(home))) {
                        install(version, home, Duration.ofNanos(until - System.nanoTime()));
                    }
                }
            }
            return home;
        } catch (ClosedByInterruptException stopped) {
            throw new InterruptedException();
        } catch (IOException problem) {
            throw new ExtensionException(
                    Category.INFRASTRUCTURE,
                    "cannot install " + npmPackage.name() + " in " + home + ": " + problem,
                    problem);
        }
    }

    /** Stays: a lock file that is removed while another waits for it locks nothing. */
    private Path lockFile(String version) {
        return folder.resolve("." + version + ".lock");
    }

    /** A file lock, since other processes, and this class loaded anew, look at the same cache. Asked for again and again: waiting for it would hold a thread that cannot be interrupted. */
    private FileLock lock(FileChannel file, long until) throws IOException, InterruptedException {
        while (true) {
            try {
                var lock = file.tryLock();
                if (lock != null) {
                    return lock;
                }
            } catch (OverlappingFileLockException ours) {
                // another thread of this process has it
            }
            if (System.nanoTime() - until > 0) {
                throw late();
            }
            Thread.sleep(LOOK_AGAIN_MS);
        }
    }

    /** The program in an installed version's folder. */
    public Path program(Path home) {
        return home.resolve("node_modules").resolve(".bin").resolve(npmPackage.program());
    }

    private void install(String version, Path home, Duration remaining) throws IOException, InterruptedException {
        var trial = folder.resolve(version + ".new-" + UUID.randomUUID());
        Files.createDirectories(trial);
        try {
            var wanted = npmPackage.name() + "@" + version;
            var lock = npmPackage.lock(version);
            if (lock.isPresent()) {
                lock.get().write(trial);
            }
            var installed = run(trial, remaining, npm(trial, lock.isPresent() ? null : wanted));
            if (installed.code() != 0) {
                throw failed("npm install " + wanted + " failed", installed);
            }
            if (npmPackage.finish() != null && !works(trial)) {
                // Some npm settings keep packages from finishing their own installation: the native program is then not
                // linked.
                run(trial, TRIAL, List.of("node", "node_modules/" + npmPackage.name() + "/" + npmPackage.finish()));
            }
            var tried = tryOut(trial);
            if (tried.code() != 0) {
                throw failed("the installed " + wanted + " does not start", tried);
            }
            protect(trial);
            // What is there without its program is no installation.
            Trees.delete(home);
            Files.move(trial, home, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Trees.delete(trial);
        }
    }

    /** @param wanted null where the folder says it */
    private List<String> npm(Path trial, String wanted) {
        var command = new ArrayList<>(
                List.of(npm, "install", "--prefix", trial.toString(), "--no-audit", "--no-fund", "--no-progress"));
        if (wanted != null) {
            command.add(wanted);
        }
        return command;
    }

    private boolean works(Path home) throws IOException, InterruptedException {
        return Files.exists(program(home)) && tryOut(home).code() == 0;
    }

    private Ended tryOut(Path home) throws IOException, InterruptedException {
        var litter = Files.createTempDirectory("polar-trial");
        try {
            return run(
                    home,
                    TRIAL,
                    List.of(program(home).toString(), "--version"),
                    Map.of("HOME", litter.toString(), "TMPDIR", litter.toString()));
        } finally {
            Trees.delete(litter);
        }
    }

    private record Ended(int code, String output) {}

    private Ended run(Path cwd, Duration limit, List<String> command) throws IOException, InterruptedException {
        return run(cwd, limit, command, Map.of());
    }

    private Ended run(Path cwd, Duration limit, List<String> command, Map<String, String> env)
            throws IOException, InterruptedException {
        var output = Files.createTempFile(folder, "output", ".log");
        try {
            var builder = new ProcessBuilder(command)
                    .directory(cwd.toFile())
                    .redirectErrorStream(true)
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(output.toFile());
            builder.environment().keySet().removeIf(name -> !passed(name));
            builder.environment().putAll(env);
            Process process;
            try {
                process = builder.start();
            } catch (IOException missing) {
                if (!command.getFirst().equals(npm)) {
                    throw missing;
                }
                throw new ExtensionException(
                        Category.REQUEST,
                        npmPackage.harness() + ": there is no " + npmPackage.program()
                                + " on the runtime's path, and no npm on this node to install it:"
                                + " install Node.js 20 or later, or " + npmPackage.program() + " itself",
                        missing);
            }
            return new Ended(ended(process, limit), Files.readString(output));
        } finally {
            Files.deleteIfExists(output);
        }
    }

    private int ended(Process process, Duration limit) throws InterruptedException {
        try {
            if (process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                return process.exitValue();
            }
            throw late();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private ExtensionException late() {
        return new ExtensionException(
                Category.TIMEOUT,
                npmPackage.harness() + ": the installation of " + npmPackage.name() + " did not end in time");
    }

    private static boolean passed(String name) {
        return PASSED.contains(name) || PASSED_PREFIXES.stream().anyMatch(name::startsWith);
    }

    private ExtensionException failed(String what, Ended ended) {
        var said = ended.output().strip();
        var end = said.substring(Math.max(0, said.length() - SHOWN_CHARACTERS))
                .lines()
                .collect(Collectors.joining(" | "));
        return new ExtensionException(
                Category.INFRASTRUCTURE,
                npmPackage.harness() + ": " + what + " (exit code " + ended.code() + "): " + end);
    }

    /** Takes the files' write permission: sessions share them. Folders keep theirs, so that a cache can be deleted as usual. */
    private static void protect(Path home) throws IOException {
        Trees.walk(home, file -> {
            if (!Files.isSymbolicLink(file)) {
                var mode = Files.getPosixFilePermissions(file);
                mode.removeIf(permission -> permission.name().endsWith("_WRITE"));
                Files.setPosixFilePermissions(file, mode);
            }
        });
    }
}
