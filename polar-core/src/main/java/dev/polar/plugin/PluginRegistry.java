package dev.polar.plugin;

import dev.polar.spi.Evaluator;
import dev.polar.spi.Harness;
import dev.polar.spi.InferenceEngine;
import dev.polar.spi.RuntimeProvider;
import dev.polar.spi.TrajectoryBuilder;
import dev.polar.topology.Topology.PluginsConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.pf4j.ExtensionPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The extensions of this process, by the name that a task or topology asks for. Thread-safe. */
public class PluginRegistry implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PluginRegistry.class);
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(2);

    private final PluginFolder folder;
    private final List<LoadedPlugin.Claim> builtIns;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile View view;
    private Thread watcher;
    private boolean closed;

    /** What one look at the folder gave. */
    private record View(Catalog catalog, List<PluginInfo> listed) {}

    /**
     * Knows what is built in, and nothing of the folder before the first {@link #scan} or {@link #start}.
     *
     * @param config which folder, which plugins, and their configuration
     * @param workDir folder for this registry alone, for copies of the jars; it is made, and emptied at the first scan
     * @param builtIns the server's own extensions
     */
    public PluginRegistry(PluginsConfig config, Path workDir, Collection<? extends ExtensionPoint> builtIns) {
        this.folder = new PluginFolder(config, workDir, PluginRegistry.class.getClassLoader());
        this.builtIns = builtIns.stream()
                .flatMap(extension -> LoadedPlugin.claims(extension).stream())
                .toList();
        this.view = look(List.of(), List.of());
    }

    /** Scans once, and from then on every two seconds until {@link #close}. */
    public void start() {
        scan();
        lock.lock();
        try {
            if (watcher == null && !closed) {
                watcher = Thread.ofVirtual().name("plugin-folder").start(this::watch);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Looks at the folder now: new jars are loaded, changed ones replaced, vanished ones let go. Never throws for what a jar does wrong. */
    public void scan() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            var jars = folder.scan();
            view = look(jars.loaded(), jars.refused());
            jars.retired().forEach(LoadedPlugin::release);
        } catch (IOException unreadable) {
            LOG.warn("cannot read the plugin folder: {}", unreadable.getMessage());
        } finally {
            lock.unlock();
        }
    }

    /** @throws dev.polar.spi.ExtensionException category REQUEST, naming what is known, or both plugins where two claim the name */
    public Lease<Harness<?>> harness(String name) {
        return lease(Kind.HARNESS, name);
    }

    /** As {@link #harness}, for {@code runtime.backend} and {@code runtime.import_path}. */
    public Lease<RuntimeProvider> runtimeProvider(String name) {
        return lease(Kind.RUNTIME, name);
    }

    /** As {@link #harness}, for {@code evaluator.strategy}. */
    public Lease<Evaluator<?>> evaluator(String name) {
        return lease(Kind.EVALUATOR, name);
    }

    /** As {@link #harness}, for {@code builder.strategy}. */
    public Lease<TrajectoryBuilder<?>> builder(String name) {
        return lease(Kind.BUILDER, name);
    }

    /** As {@link #harness}, for {@code inference.engine}. */
    public Lease<InferenceEngine> engine(String name) {
        return lease(Kind.ENGINE, name);
    }

    /** All names that are claimed, those that two claim included. */
    public SortedSet<String> names(Kind kind) {
        return view.catalog().names(kind);
    }

    /** What is built in, then the folder's jars by name, those that failed or are disabled included. */
    public List<PluginInfo> plugins() {
        return view.listed();
    }

    /** Stops watching and lets go of all plugins; leases that are open stay good. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            if (watcher != null) {
                watcher.interrupt();
            }
            view = look(List.of(), List.of());
            folder.releaseAll();
        } finally {
            lock.unlock();
        }
    }

    private void watch() {
        try {
            while (true) {
                Thread.sleep(LOOK_AGAIN);
                scan();
            }
        } catch (InterruptedException closed) {
            // the registry was closed
        }
    }

    /** The kind says which extension point a name leads to, so the cast holds. */
    @SuppressWarnings("unchecked")
    private <T extends ExtensionPoint> Lease<T> lease(Kind kind, String name) {
        while (true) {
            var owner = view.catalog().find(kind, name);
            if (owner.plugin() == null) {
                return new HeldLease<>((T) owner.extension(), PluginInfo.BUILT_IN, () -> {});
            }
            // Lost only to a scan that has put another view in place already.
            if (owner.plugin().hold()) {
                var plugin = owner.plugin();
                var guarded = (T) Guarded.of(kind, owner.extension(), plugin.classLoader());
                return new HeldLease<>(guarded, plugin.id(), plugin::release);
            }
        }
    }

    private View look(List<PluginFolder.Jar> loaded, List<PluginInfo> refused) {
        var plugins = loaded.stream().map(PluginFolder.Jar::plugin).toList();
        var catalog = new Catalog(builtIns, plugins);
        var listed = new ArrayList<PluginInfo>();
        for (var jar : loaded) {
            var plugin = jar.plugin();
            var reasons = Stream.of(jar.problem(), catalog.conflictsOf(plugin))
                    .filter(Objects::nonNull)
                    .toList();
            listed.add(new PluginInfo(
                    plugin.id(),
                    plugin.version(),
                    jar.file().getFileName().toString(),
                    PluginInfo.State.LOADED,
                    reasons.isEmpty() ? null : String.join("; ", reasons),
                    LoadedPlugin.namesByKind(plugin.claims())));
        }
        listed.addAll(refused);
        listed.sort(Comparator.comparing(PluginInfo::file, Comparator.nullsLast(Comparator.naturalOrder())));
        listed.addFirst(new PluginInfo(
                PluginInfo.BUILT_IN,
                null,
                null,
                PluginInfo.State.LOADED,
                catalog.conflictsOf(null),
                LoadedPlugin.namesByKind(builtIns)));
        return new View(catalog, List.copyOf(listed));
    }

    private static final class HeldLease<T> implements Lease<T> {
        private final T value;
        private final String pluginId;
        private final Runnable release;
        private final AtomicBoolean closed = new AtomicBoolean();

        HeldLease(T value, String pluginId, Runnable release) {
            this.value = value;
            this.pluginId = pluginId;
            this.release = release;
        }

        @Override
        public T value() {
            if (closed.get()) {
                throw new IllegalStateException("the lease on an extension of " + pluginId + " was closed");
            }
            return value;
        }

        @Override
        public String pluginId() {
            return pluginId;
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                release.run();
            }
        }
    }
}
