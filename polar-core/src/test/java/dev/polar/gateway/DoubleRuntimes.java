package dev.polar.gateway;

import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.Runtime;
import dev.polar.spi.RuntimeFeature;
import dev.polar.spi.RuntimeProvider;
import dev.polar.spi.RuntimeRequest;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stands in for a sandbox: a command is a step of the test's, and what is live is counted. */
final class DoubleRuntimes implements RuntimeProvider {
    /** What a command does instead of running. */
    @FunctionalInterface
    interface Command {
        ExecResult run(Map<String, String> env) throws InterruptedException;
    }

    final Steps steps;
    final Set<Runtime> live = ConcurrentHashMap.newKeySet();
    final List<RuntimeRequest> requests = Collections.synchronizedList(new ArrayList<>());
    final List<String> journals = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Command> commands = new ConcurrentHashMap<>();
    volatile URI reached;

    DoubleRuntimes(Steps steps) {
        this.steps = steps;
    }

    void on(String command, Command does) {
        commands.put(command, does);
    }

    static ExecResult exit(int code) {
        return new ExecResult(code, false, false, "", "", 0, 0);
    }

    @Override
    public Set<String> names() {
        return Set.of("double", "second-name");
    }

    @Override
    public Set<RuntimeFeature> enforces() {
        return Set.of(RuntimeFeature.MEMORY, RuntimeFeature.IMAGE);
    }

    @Override
    public Runtime start(RuntimeRequest request) throws InterruptedException {
        requests.add(request);
        steps.reach("start " + request.purpose());
        var runtime = new DoubleRuntime(request);
        live.add(runtime);
        return runtime;
    }

    @Override
    public int removeLeftovers(String nodeId, Path stateDir) {
        journals.add(nodeId + " " + stateDir.getFileName());
        return 0;
    }

    private final class DoubleRuntime implements Runtime {
        private final RuntimeRequest request;

        DoubleRuntime(RuntimeRequest request) {
            this.request = request;
        }

        @Override
        public ExecResult exec(ExecRequest exec) throws InterruptedException {
            var name = exec.command().getLast();
            steps.reach(request.purpose() + " exec " + name);
            var env = new java.util.LinkedHashMap<>(request.env());
            env.putAll(exec.env());
            var command = commands.get(name);
            return command == null ? exit(0) : command.run(env);
        }

        @Override
        public void upload(Path source, String target) throws InterruptedException {
            steps.reach(request.purpose() + " upload " + source.getFileName() + " " + target);
        }

        @Override
        public void download(String source, Path target) throws InterruptedException {
            steps.reach(request.purpose() + " download " + source);
        }

        @Override
        public String path(String sandboxPath) {
            return sandboxPath;
        }

        @Override
        public URI reach(URI gateway) {
            return reached == null ? gateway : reached;
        }

        @Override
        public void endProcesses() {
            note("end processes " + request.purpose());
        }

        @Override
        public void stop() {
            note("stop " + request.purpose());
            live.remove(this);
        }

        private void note(String step) {
            try {
                steps.reach(step);
            } catch (InterruptedException wrong) {
                throw new AssertionError(step + " was interrupted", wrong);
            }
        }
    }
}
