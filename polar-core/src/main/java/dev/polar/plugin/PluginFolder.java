package dev.polar.plugin;

import dev.polar.topology.Topology.PluginsConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.pf4j.PluginDescriptor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jars of the plugin folder and what became of them. Not thread-safe: the registry lets one scan at a time happen.
 *
 * <p>A jar is copied aside before it is opened, so that it can be replaced under a running server. A replacement that cannot be loaded (it may be half copied) leaves the version before it
 * in use. Of two jars with one id the one that is loaded stays; where neither is, neither is loaded.
 */
final class PluginFolder {
    private static final Logger LOG = LoggerFactory.getLogger(PluginFolder.class);

    /**
     * A loaded jar.
     *
     * @param problem why a replacement of it was refused; null where there is none
     */
    record Jar(Path file, LoadedPlugin plugin, String problem) {}

    /**
     * What a scan found.
     *
     * @param retired no longer in the folder or replaced: to be released once nobody is led to them
     */
    record Found(List<Jar> loaded, List<PluginInfo> refused, List<LoadedPlugin> retired) {}

    /** Tells a changed file from the same one. */
    private record Stamp(FileTime modified, long size, Object key) {}

    /**
     * What is known of a file.
     *
     * @param plugin null where it was not loaded
     * @param refusal null where all is well
     */
    private record Known(Stamp stamp, LoadedPlugin plugin, PluginInfo refusal) {}

    private final PluginsConfig config;
    private final Path workDir;
    private final ClassLoader server;
    private final Map<Path, Known> known = new TreeMap<>();
    private Map<Path, Stamp> lastSeen = Map.of();
    private boolean prepared;
    private long copies;

    PluginFolder(PluginsConfig config, Path workDir, ClassLoader server) {
        this.config = config;
        this.workDir = workDir;
        this.server = server;
    }

    Found scan() throws IOException {
        prepare();
        var retired = new ArrayList<LoadedPlugin>();
        var present = stamps();
        if (!present.equals(lastSeen)) {
            lastSeen = present;
            forget(present, retired);
            var candidates = candidates(present);
            var ids = filesById(candidates);
            candidates.forEach((file, candidate) -> consider(file, candidate, ids, retired));
        }
        return new Found(loaded(), refused(), retired);
    }

    void releaseAll() {
        known.values().stream()
                .filter(jar -> jar.plugin() != null)
                .forEach(jar -> jar.plugin().release());
        known.clear();
    }

    private void forget(Map<Path, Stamp> present, List<LoadedPlugin> retired) {
        known.entrySet().removeIf(entry -> {
            boolean gone = !present.containsKey(entry.getKey());
            if (gone && entry.getValue().plugin() != null) {
                retired.add(entry.getValue().plugin());
                LOG.info("plugin {} was removed", entry.getValue().plugin().id());
            }
            return gone;
        });
    }

    /** A file that is new, has changed, or was refused before (another may have had its id): its copy and what its manifest says. */
    private record Candidate(Stamp stamp, Path copy, PluginDescriptor descriptor, String problem) {
        String id() {
            return descriptor == null ? null : descriptor.getPluginId();
        }
    }

    private Map<Path, Candidate> candidates(Map<Path, Stamp> present) {
        var candidates = new LinkedHashMap<Path, Candidate>();
        present.forEach((file, stamp) -> {
            var before = known.get(file);
            boolean same = before != null && before.stamp().equals(stamp);
            if (!same || (before.plugin() == null && before.refusal().state() == PluginInfo.State.FAILED)) {
                candidates.put(file, inspect(file, stamp));
            }
        });
        return candidates;
    }

    private Candidate inspect(Path file, Stamp stamp) {
        Path copy = workDir.resolve(++copies + "-" + file.getFileName());
        try {
            Files.copy(file, copy);
            return new Candidate(stamp, copy, LoadedPlugin.describe(copy), null);
        } catch (PluginProblem problem) {
            return new Candidate(stamp, copy, null, problem.getMessage());
        } catch (IOException unreadable) {
            return new Candidate(stamp, copy, null, "it cannot be copied: " + LoadedPlugin.firstLine(unreadable));
        }
    }

    /** For each id, the files that have it: loaded ones and candidates. */
    private Map<String, List<Path>> filesById(Map<Path, Candidate> candidates) {
        var files = new TreeMap<String, List<Path>>();
        known.forEach((file, jar) -> {
            if (jar.plugin() != null && !candidates.containsKey(file)) {
                files.computeIfAbsent(jar.plugin().id(), none -> new ArrayList<>())
                        .add(file);
            }
        });
        candidates.forEach((file, candidate) -> {
            if (candidate.id() != null) {
                files.computeIfAbsent(candidate.id(), none -> new ArrayList<>()).add(file);
            }
        });
        return files;
    }

    private void consider(Path file, Candidate candidate, Map<String, List<Path>> ids, List<LoadedPlugin> retired) {
        var before = known.get(file);
        var old = before == null ? null : before.plugin();
        try {
            if (candidate.problem() != null) {
                throw new PluginProblem(candidate.problem());
            }
            if (disabled(candidate.id())) {
                deleteCopy(candidate.copy());
                retire(old, retired);
                known.put(
                        file,
                        new Known(
                                candidate.stamp(),
                                null,
                                refusal(
                                        file,
                                        candidate,
                                        PluginInfo.State.DISABLED,
                                        "not enabled by the topology's plugins.enabled and plugins.disabled")));
                return;
            }
            refuseSharedId(file, candidate, ids.get(candidate.id()));
            var settings = config.config().getOrDefault(candidate.id(), Map.of());
            var plugin = LoadedPlugin.load(candidate.copy(), candidate.descriptor(), settings, server);
            retire(old, retired);
            known.put(file, new Known(candidate.stamp(), plugin, null));
            LOG.info("plugin {} {} loaded from {}", plugin.id(), plugin.version(), file.getFileName());
        } catch (PluginProblem problem) {
            deleteCopy(candidate.copy());
            var refusal = refusal(file, candidate, PluginInfo.State.FAILED, problem.getMessage());
            if (before == null || before.refusal() == null || !before.refusal().equals(refusal)) {
                LOG.warn("plugin {} is not loaded: {}", file.getFileName(), problem.getMessage());
            }
            known.put(file, new Known(candidate.stamp(), old, refusal));
        }
    }

    private static void retire(LoadedPlugin old, List<LoadedPlugin> retired) {
        if (old != null) {
            retired.add(old);
        }
    }

    private static void refuseSharedId(Path file, Candidate candidate, List<Path> sameId) {
        if (sameId.size() > 1) {
            var others = sameId.stream()
                    .filter(other -> !other.equals(file))
                    .map(other -> other.getFileName().toString())
                    .collect(Collectors.joining(", "));
            throw new PluginProblem(
                    "its Plugin-Id '" + candidate.id() + "' is also that of " + others + ": leave one of the files");
        }
    }

    private boolean disabled(String id) {
        return config.disabled().contains(id)
                || (!config.enabled().isEmpty() && !config.enabled().contains(id));
    }

    private List<Jar> loaded() {
        var jars = new ArrayList<Jar>();
        known.forEach((file, jar) -> {
            if (jar.plugin() != null) {
                var problem = jar.refusal() == null
                        ? null
                        : "the file was replaced by one that is not loaded: "
                                + jar.refusal().reason();
                jars.add(new Jar(file, jar.plugin(), problem));
            }
        });
        return List.copyOf(jars);
    }

    private List<PluginInfo> refused() {
        var refused = new ArrayList<PluginInfo>();
        known.values().stream()
                .filter(jar -> jar.plugin() == null)
                .map(Known::refusal)
                .forEach(refused::add);
        var ids = known.values().stream()
                .map(jar ->
                        jar.plugin() == null ? jar.refusal().id() : jar.plugin().id())
                .collect(Collectors.toSet());
        config.enabled().stream().filter(id -> !ids.contains(id)).forEach(id -> refused.add(missing(id)));
        return List.copyOf(refused);
    }

    private PluginInfo missing(String id) {
        return new PluginInfo(
                id,
                null,
                null,
                PluginInfo.State.FAILED,
                "plugins.enabled names it, and no jar in "
                        + config.dirs().stream().map(Path::toString).collect(Collectors.joining(" or "))
                        + " has this Plugin-Id",
                Map.of());
    }

    private static PluginInfo refusal(Path file, Candidate candidate, PluginInfo.State state, String reason) {
        var name = file.getFileName().toString();
        return new PluginInfo(
                candidate.id() == null ? name : candidate.id(),
                candidate.descriptor() == null ? null : candidate.descriptor().getVersion(),
                name,
                state,
                reason,
                Map.of());
    }

    private Map<Path, Stamp> stamps() throws IOException {
        var stamps = new TreeMap<Path, Stamp>();
        for (var dir : config.dirs()) {
            if (Files.isDirectory(dir)) {
                addStamps(dir, stamps);
            }
        }
        return stamps;
    }

    private static void addStamps(Path dir, Map<Path, Stamp> stamps) throws IOException {
        try (var files = Files.newDirectoryStream(dir, "*.jar")) {
            for (var file : files) {
                var attributes = Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class);
                if (attributes.isRegularFile()) {
                    stamps.put(file, new Stamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey()));
                }
            }
        } catch (java.nio.file.NoSuchFileException vanished) {
            LOG.debug("{} vanished while the plugin folder was read", vanished.getFile());
        } catch (java.nio.file.DirectoryIteratorException unreadable) {
            throw unreadable.getCause();
        }
    }

    private void prepare() throws IOException {
        if (prepared) {
            return;
        }
        Files.createDirectories(workDir);
        try (var left = Files.newDirectoryStream(workDir, "*.jar")) {
            for (var copy : left) {
                Files.deleteIfExists(copy);
            }
        }
        prepared = true;
    }

    private static void deleteCopy(Path copy) {
        try {
            Files.deleteIfExists(copy);
        } catch (IOException kept) {
            LOG.warn("cannot delete {}: {}", copy, LoadedPlugin.firstLine(kept));
        }
    }
}
