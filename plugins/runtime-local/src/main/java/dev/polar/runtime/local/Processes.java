package dev.polar.runtime.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/**
 * Finds and ends processes by the label in their environment, as {@code /proc} shows it (proc(5)): a process that forks twice and leaves its group still carries it. One that was started with an
 * emptied environment does not; its process group, and with bubblewrap its process namespace, find it all the same.
 */
final class Processes {
    /** The environment variable that holds the label. */
    static final String LABEL = "POLAR_RUNTIME_LABEL";

    private static final Path PROC = Path.of("/proc");
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private Processes() {}

    /** Ids of the living processes whose label is {@code label} or starts with it and a slash, and of those of the process group {@code group}. */
    static List<Long> find(String label, OptionalLong group) {
        var found = new ArrayList<Long>();
        long self = ProcessHandle.current().pid();
        try (var entries = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (var entry : entries) {
                long pid = Long.parseLong(entry.getFileName().toString());
                if (pid != self && lives(entry) && (inGroup(entry, group) || labelled(entry, label))) {
                    found.add(pid);
                }
            }
        } catch (IOException | DirectoryIteratorException unreadable) {
            throw new IllegalStateException("/proc cannot be read, so no process can be found", unreadable);
        }
        return found;
    }

    /** All labels that start with {@code prefix} among living processes. */
    static Set<String> labels(String prefix) {
        var labels = new TreeSet<String>();
        try (var entries = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (var entry : entries) {
                var label = label(entry);
                if (label != null && label.startsWith(prefix)) {
                    labels.add(label);
                }
            }
        } catch (IOException | DirectoryIteratorException unreadable) {
            throw new IllegalStateException("/proc cannot be read, so no process can be found", unreadable);
        }
        return labels;
    }

    /**
     * Kills until none is left.
     *
     * @return false where some live on after ten seconds
     */
    static boolean endAll(String label, OptionalLong group) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            var found = find(label, group);
            if (found.isEmpty()) {
                return true;
            }
            if (System.nanoTime() > end) {
                return false;
            }
            found.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
            LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
        }
    }

    /** False for a process that has ended, waited for or not. */
    private static boolean lives(Path entry) {
        var fields = stat(entry);
        return fields.length > 0 && !"ZX".contains(fields[0]);
    }

    private static boolean inGroup(Path entry, OptionalLong group) {
        var fields = group.isPresent() ? stat(entry) : new String[0];
        return fields.length > 2 && Long.parseLong(fields[2]) == group.getAsLong();
    }

    /** State, parent, group and so on; empty for a process that is gone. */
    private static String[] stat(Path entry) {
        try {
            var stat = Files.readString(entry.resolve("stat"), StandardCharsets.ISO_8859_1);
            // The name before them, in parentheses, may hold anything.
            return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        } catch (IOException gone) {
            return new String[0];
        }
    }

    private static boolean labelled(Path entry, String label) {
        var own = label(entry);
        return own != null && (own.equals(label) || own.startsWith(label + "/"));
    }

    /** The process's label, or null where it has none or belongs to somebody else. */
    private static String label(Path entry) {
        try {
            var environment = Files.readString(entry.resolve("environ"), StandardCharsets.ISO_8859_1);
            for (var variable : environment.split("\0")) {
                if (variable.startsWith(LABEL + "=")) {
                    return variable.substring(LABEL.length() + 1);
                }
            }
            return null;
        } catch (IOException goneOrForeign) {
            return null;
        }
    }
}
