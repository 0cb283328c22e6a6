package dev.polar.runtime.local;

import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.InvalidValueException;
import dev.polar.spi.PluginConfigured;
import dev.polar.spi.Runtime;
import dev.polar.spi.RuntimeFeature;
import dev.polar.spi.RuntimeProvider;
import dev.polar.spi.RuntimeRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.pf4j.Extension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code backend: local}: processes of this machine.
 *
 * <p>{@code runtime.kwargs}: {@code bubblewrap} ({@code auto}, {@code always}, {@code never}; the plugin's configuration says what holds without it) and {@code volumes}. It enforces no limit:
 * a process may use what the machine has, and reaches the network as the node does. A background process ends with the command that started it.
 */
@Extension
public final class LocalRuntimeProvider implements RuntimeProvider, PluginConfigured<LocalConfig> {
    private static final Logger LOG = LoggerFactory.getLogger(LocalRuntimeProvider.class);

    private final ReentrantLock probing = new ReentrantLock();
    private volatile LocalConfig config = new LocalConfig(null, null, null);
    private volatile Bubblewrap.Probe probe;

    @Override
    public Class<LocalConfig> pluginConfigType() {
        return LocalConfig.class;
    }

    @Override
    public void configure(LocalConfig given) {
        config = given;
    }

    @Override
    public Set<String> names() {
        return Set.of("local");
    }

    @Override
    public Set<RuntimeFeature> enforces() {
        return Set.of();
    }

    @Override
    public Runtime start(RuntimeRequest request) throws InterruptedException {
        var journal = new Journal(request.stateDir());
        var label = journal.add(request);
        LocalRuntime runtime = null;
        boolean works = false;
        try {
            runtime = new LocalRuntime(sandbox(request), label, journal, request.spec());
            runtime.check();
            works = true;
            return runtime;
        } catch (IOException problem) {
            throw new ExtensionException(
                    Category.INFRASTRUCTURE, "the session's folder cannot be set up: " + problem, problem);
        } finally {
            if (!works && runtime != null) {
                runtime.stop();
            } else if (!works) {
                journal.remove(label);
            }
        }
    }

    private Sandbox sandbox(RuntimeRequest request) throws IOException, InterruptedException {
        var inherited = new LinkedHashMap<String, String>();
        for (var name : config.inherit()) {
            var value = System.getenv(name);
            if (value != null) {
                inherited.put(name, value);
            }
        }
        var bubblewrap = bubblewrap(use(request.spec().kwargs()));
        return bubblewrap == null
                ? Sandbox.mapped(request, inherited)
                : Sandbox.wrapped(bubblewrap, request, config, inherited);
    }

    private BubblewrapUse use(Map<String, Object> kwargs) {
        var asked = kwargs.get("bubblewrap");
        if (asked == null) {
            return config.bubblewrap();
        }
        try {
            return BubblewrapUse.of(asked.toString());
        } catch (InvalidValueException wrong) {
            throw new ExtensionException(Category.REQUEST, "runtime.kwargs." + wrong.getMessage(), wrong);
        }
    }

    /** Null where it is not to be used. */
    private Bubblewrap bubblewrap(BubblewrapUse use) throws InterruptedException {
        if (use == BubblewrapUse.NEVER) {
            return null;
        }
        var found = probed();
        if (found.usable() == null && use == BubblewrapUse.ALWAYS) {
            throw new ExtensionException(
                    Category.REQUEST,
                    "bubblewrap is asked for and does not work here (" + found.reason()
                            + "): install it and allow user namespaces, or set runtime.kwargs.bubblewrap to auto");
        }
        return found.usable();
    }

    private Bubblewrap.Probe probed() throws InterruptedException {
        if (probe == null) {
            probing.lockInterruptibly();
            try {
                if (probe == null) {
                    var found = Bubblewrap.probe();
                    if (found.usable() == null) {
                        LOG.warn(
                                "bubblewrap does not work here ({}): local sessions see this machine's files",
                                found.reason());
                    }
                    probe = found;
                }
            } finally {
                probing.unlock();
            }
        }
        return probe;
    }

    @Override
    public int removeLeftovers(String nodeId, Path stateDir) {
        var journal = new Journal(stateDir);
        if (!Files.isDirectory(stateDir)) {
            return 0;
        }
        try {
            var ids = new TreeSet<String>();
            for (var label : Processes.labels(journal.owner() + "/")) {
                ids.add(label.split("/")[4]);
            }
            boolean gone = Processes.endAll(journal.owner(), OptionalLong.empty());
            for (var entry : journal.entries()) {
                ids.add(Journal.id(entry));
                if (gone) {
                    Files.deleteIfExists(entry);
                }
            }
            if (!gone) {
                LOG.warn("processes that an earlier start left could not be ended; the next start tries again");
            }
            return ids.size();
        } catch (IOException problem) {
            throw new ExtensionException(
                    Category.INFRASTRUCTURE, "cannot read the journal in " + stateDir + ": " + problem, problem);
        }
    }
}
