package dev.polar.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * An application server that runs Polar's WAR as a child of this process, in a folder of its own. It ends with this process: at {@link #close}, with this JVM, and (the server watches for that
 * itself) when this JVM is killed. Thread-safe.
 */
final class LibertyServer implements AutoCloseable {
    private static final String SERVER = "polar";
    private static final Duration STOP_GRACE = Duration.ofSeconds(100);
    private static final int SHOWN_LINES = 15;
    /** Liberty's own word for a port that it could not have; it goes on without. */
    private static final String PORT_TAKEN = "CWWKO0221E";

    private final Process process;
    private final Path log;
    private final FileChannel lock;
    private final List<Path> leftovers;
    private final Thread hook = new Thread(this::stop, "stop-server");

    private volatile boolean stopping;

    private LibertyServer(Process process, Path log, FileChannel lock, List<Path> leftovers) {
        this.process = process;
        this.log = log;
        this.lock = lock;
        this.leftovers = leftovers;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Starts it; {@link #problem} and a look at its ports say how that went.
     *
     * @param folder of this server alone
     * @param environment added to this process's
     * @param shortLived true where a quick start matters more than speed later
     * @throws UserException where the folder cannot be written or another server runs in it
     */
    static LibertyServer start(
            Distribution distribution, Path folder, Map<String, String> environment, boolean shortLived) {
        var liberty = Distribution.liberty();
        var logs = folder.resolve("logs");
        FileChannel lock = null;
        try {
            Files.createDirectories(logs);
            lock = claim(folder);
            var config = Files.createDirectories(folder.resolve("usr/servers").resolve(SERVER));
            copy(distribution.serverXml(), config.resolve("server.xml"));
            takeWar(distribution.war(), folder);
            var log = logs.resolve("server.log");
            var builder = new ProcessBuilder(liberty.resolve("bin/server").toString(), "run", SERVER)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
            var variables = builder.environment();
            variables.keySet().removeIf(name -> name.startsWith("POLAR_LISTEN_"));
            variables.putAll(environment);
            if (!"UTF-8".equals(System.getProperty("sun.jnu.encoding"))) {
                // Java hands an instruction to an agent in the locale's encoding, with a question mark for what that
                // lacks.
                variables.put("LC_ALL", "C.UTF-8");
            }
            variables.put("JAVA_HOME", System.getProperty("java.home"));
            variables.put("WLP_USER_DIR", folder.resolve("usr").toString());
            variables.put("WLP_OUTPUT_DIR", folder.resolve("out").toString());
            variables.put("POLAR_WAR", folder.resolve("polar.war").toString());
            variables.put("POLAR_LOG_DIR", logs.toString());
            variables.put("POLAR_PARENT_PID", "" + ProcessHandle.current().pid());
            variables.merge(
                    "JVM_ARGS",
                    "--enable-native-access=ALL-UNNAMED" + (shortLived ? " -XX:TieredStopAtLevel=1" : ""),
                    (theirs, ours) -> theirs + " " + ours);
            // A folder that serves again starts quicker with them.
            var leftovers = shortLived ? List.of(folder.resolve("out"), folder.resolve("polar.war")) : List.<Path>of();
            return new LibertyServer(builder.start(), log, lock, leftovers);
        } catch (IOException refused) {
            release(lock);
            throw new UserException(
                    "the server cannot start in " + folder + ": " + refused.getMessage()
                            + "; give a data_dir that this user can write",
                    refused);
        }
    }

    /**
     * Copies the WAR, so that a new build does not pull it away under a running server. The server finds what it once unpacked of it by names and times, which are the same in all builds: beside
     * another WAR it would serve old classes, so none of that stays.
     */
    static void takeWar(Path war, Path folder) throws IOException {
        var own = folder.resolve("polar.war");
        if (!Files.exists(own) || Files.mismatch(war, own) >= 0) {
            Folders.delete(folder.resolve("out"));
        }
        copy(war, own);
    }

    private static FileChannel claim(Path folder) throws IOException {
        var lock = FileChannel.open(folder.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (lock.tryLock() == null) {
            lock.close();
            throw new UserException("data_dir: another Polar server runs in " + folder
                    + ": stop that one, or set another data_dir in the topology");
        }
        return lock;
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }

    boolean alive() {
        return process.isAlive();
    }

    /** Waits for its end; true where this process ended it. */
    boolean waitFor() throws InterruptedException {
        process.waitFor();
        return stopping;
    }

    /** What its standard output and error go to. */
    Path log() {
        return log;
    }

    /** One line, where the server has ended or lacks a port; empty while all may be well. */
    Optional<String> problem() {
        var lines = logLines();
        for (var line : lines) {
            if (line.contains(PORT_TAKEN)) {
                return Optional.of("the server did not get its port: " + line.substring(line.indexOf(PORT_TAKEN)));
            }
        }
        return alive()
                ? Optional.empty()
                : Optional.of("the server ended with status " + process.exitValue() + " (log: " + log + ")");
    }

    /** The end of its log. */
    List<String> lastLines() {
        var lines = logLines();
        return lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size());
    }

    private List<String> logLines() {
        try {
            return Files.exists(log) ? Files.readAllLines(log) : List.of();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Stops it and waits for its end; does nothing the second time. */
    @Override
    public void close() {
        stop();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // then the hook has run or runs: stopping twice is harmless
        }
    }

    private void stop() {
        stopping = true;
        var descendants = process.descendants().toList();
        process.destroy();
        try {
            if (!process.waitFor(STOP_GRACE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException hurried) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        descendants.forEach(ProcessHandle::destroyForcibly);
        deleteLeftovers();
        release(lock);
    }

    private void deleteLeftovers() {
        try {
            for (var each : leftovers) {
                Folders.delete(each);
            }
        } catch (IOException | UncheckedIOException busy) {
            // they take space and do no other harm
        }
    }

    private static void release(FileChannel lock) {
        try {
            if (lock != null) {
                lock.close();
            }
        } catch (IOException ended) {
            // the lock goes with this process at the latest
        }
    }
}
