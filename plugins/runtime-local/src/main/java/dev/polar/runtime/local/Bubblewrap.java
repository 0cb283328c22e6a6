package dev.polar.runtime.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * How bubblewrap is called. The view is made anew: the node's top-level folders read-only, then what is private, then what is shared.
 *
 * @param program its path
 * @param userNamespace true where it works only (or also for root only) in a user namespace of its own
 */
record Bubblewrap(String program, boolean userNamespace) {
    /** Made by bubblewrap itself, or replaced by something private. */
    static final Set<String> NOT_SHARED = Set.of("proc", "dev", "run", "tmp", "polar");

    /** What a root in a container is commonly left with: owners and modes of files, users, signals; no mounts, no devices, no network set-up. */
    private static final List<String> ROOT_MAY = List.of(
            "CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_SETGID", "CAP_SETUID");

    private static final int PROBE_SECONDS = 10;

    /**
     * Whether it works on this machine.
     *
     * @param usable null where it does not
     * @param reason why it does not, in words; null where it does
     */
    record Probe(Bubblewrap usable, String reason) {}

    /** Tries it. Blocks for a few milliseconds. */
    static Probe probe() throws InterruptedException {
        var program = Stream.of(
                        System.getenv().getOrDefault("PATH", "/usr/bin:/bin").split(":"))
                .map(folder -> Path.of(folder, "bwrap"))
                .filter(Files::isExecutable)
                .findFirst();
        if (program.isEmpty()) {
            return new Probe(null, "bwrap is not installed");
        }
        var reasons = new ArrayList<String>();
        for (boolean userNamespace : new boolean[] {false, true}) {
            var candidate = new Bubblewrap(program.get().toString(), userNamespace);
            var problem = candidate.tryOut();
            if (problem == null) {
                return new Probe(candidate, null);
            }
            reasons.add(problem);
        }
        return new Probe(null, String.join("; with a user namespace: ", reasons));
    }

    private String tryOut() throws InterruptedException {
        try {
            var command = new ArrayList<>(options(List.of(), List.of()));
            command.addAll(List.of("--", "/bin/sh", "-c", "exit 0"));
            var process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(Path.of("/dev/null").toFile())
                    .start();
            try {
                if (!process.waitFor(PROBE_SECONDS, TimeUnit.SECONDS)) {
                    return program + " did not answer in " + PROBE_SECONDS + " s";
                }
                var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
                return process.exitValue() == 0 ? null : said;
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException problem) {
            return problem.getMessage();
        }
    }

    /**
     * The command line up to the command.
     *
     * @param hidden folders of the node that look empty
     * @param mounts what is bound over the read-only rest, in this order
     */
    List<String> options(List<Path> hidden, List<View.Mount> mounts) throws IOException {
        var line = new ArrayList<String>();
        add(line, program, "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc");
        if (userNamespace) {
            add(line, "--unshare-user");
        }
        add(line, "--cap-drop", "ALL");
        if (isRoot()) {
            ROOT_MAY.forEach(capability -> add(line, "--cap-add", capability));
        }
        addRoot(line);
        hidden.forEach(folder -> add(line, "--tmpfs", folder.toString()));
        add(line, "--dir", "/polar", "--chmod", "0755", "/polar");
        for (var mount : mounts) {
            add(
                    line,
                    mount.writable() ? "--bind" : "--ro-bind",
                    mount.host().toString(),
                    mount.at().toString());
        }
        add(line, "--remount-ro", "/");
        return line;
    }

    private static void addRoot(List<String> line) throws IOException {
        for (var entry : topLevel()) {
            var name = entry.toString();
            if (Files.isSymbolicLink(entry)) {
                add(line, "--symlink", Files.readSymbolicLink(entry).toString(), name);
            } else {
                add(line, "--ro-bind-try", name, name);
            }
        }
        add(line, "--dev", "/dev", "--proc", "/proc");
        // bubblewrap leaves these writable to a real root, who could change the machine through them.
        for (var dangerous : List.of("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs")) {
            add(line, "--ro-bind-try", dangerous, dangerous);
        }
        add(line, "--tmpfs", "/run");
        var names = Path.of("/etc/resolv.conf");
        if (Files.exists(names) && names.toRealPath().startsWith("/run")) {
            add(
                    line,
                    "--ro-bind",
                    names.toRealPath().toString(),
                    names.toRealPath().toString());
        }
    }

    /** What stands in {@code /} and is shared read-only. */
    static List<Path> topLevel() throws IOException {
        var entries = new ArrayList<Path>();
        try (var all = Files.newDirectoryStream(Path.of("/"))) {
            for (var entry : all) {
                if (!NOT_SHARED.contains(entry.getFileName().toString())) {
                    entries.add(entry);
                }
            }
        }
        entries.sort(null);
        return entries;
    }

    private static boolean isRoot() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }

    private static void add(List<String> line, String... words) {
        line.addAll(Arrays.asList(words));
    }
}
