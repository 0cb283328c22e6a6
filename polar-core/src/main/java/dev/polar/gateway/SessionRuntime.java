package dev.polar.gateway;

import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.Runtime;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A session's runtime as extensions see it: adds what came to the environment after the start (addresses as reached from inside, {@code agent.env} from RUN on) to each command, and is stopped
 * once, by the session alone. Thread-safe.
 */
final class SessionRuntime implements Runtime {
    private final Runtime started;
    private final String allowInternet;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private volatile Map<String, String> added = Map.of();

    SessionRuntime(Runtime started, boolean allowInternet) {
        this.started = started;
        this.allowInternet = Boolean.toString(allowInternet);
    }

    /** From now on each command finds these too, unless it says otherwise itself. */
    void add(Map<String, String> env) {
        var both = new LinkedHashMap<>(added);
        both.putAll(env);
        added = both;
    }

    @Override
    public ExecResult exec(ExecRequest request) throws InterruptedException {
        var env = new LinkedHashMap<>(added);
        env.putAll(request.env());
        env.put(SessionEnvironment.ALLOW_INTERNET, allowInternet);
        return started.exec(request.withEnv(env));
    }

    @Override
    public void upload(Path source, String target) throws InterruptedException {
        started.upload(source, target);
    }

    @Override
    public void download(String source, Path target) throws InterruptedException {
        started.download(source, target);
    }

    @Override
    public String path(String sandboxPath) {
        return started.path(sandboxPath);
    }

    @Override
    public URI reach(URI gateway) {
        return started.reach(gateway);
    }

    @Override
    public void endProcesses() {
        started.endProcesses();
    }

    @Override
    public void stop() {
        if (stopped.compareAndSet(false, true)) {
            started.stop();
        }
    }
}
