package dev.polar.runtime.local;

import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.Runtime;
import dev.polar.spi.RuntimeSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One session's processes. */
final class LocalRuntime implements Runtime {
    private static final Logger LOG = LoggerFactory.getLogger(LocalRuntime.class);

    private final Sandbox sandbox;
    private final String label;
    private final Journal journal;
    private final RuntimeSpec spec;
    private final Spawner spawner;
    private final AtomicLong commands = new AtomicLong();
    /** Goes up with each call that ends all processes: one that is being started meanwhile ends itself. */
    private final AtomicLong endings = new AtomicLong();

    private volatile boolean stopped;

    LocalRuntime(Sandbox sandbox, String label, Journal journal, RuntimeSpec spec) {
        this.sandbox = sandbox;
        this.label = label;
        this.journal = journal;
        this.spec = spec;
        this.spawner = new Spawner("runtime " + label.substring(label.lastIndexOf('/') + 1));
    }

    /** @throws ExtensionException where no command can be run in it */
    void check() throws InterruptedException {
        makeWorkdir();
        var result = exec(ExecRequest.shell(":"));
        if (result.exitCode() != 0) {
            throw new ExtensionException(
                    Category.INFRASTRUCTURE,
                    "no command can be run in the sandbox: " + result.stderr().strip());
        }
    }

    private void makeWorkdir() {
        if (spec.workdir() == null) {
            return;
        }
        var place = sandbox.view().resolve(spec.workdir());
        if (place.writable()) {
            try {
                Files.createDirectories(place.host());
            } catch (IOException problem) {
                throw new ExtensionException(
                        Category.REQUEST,
                        "runtime.workdir: '" + spec.workdir() + "' cannot be made: " + problem,
                        problem);
            }
        } else if (!Files.isDirectory(place.host())) {
            throw new ExtensionException(
                    Category.REQUEST,
                    "runtime.workdir: '" + spec.workdir() + "' does not exist and is read-only here; use a folder in "
                            + SESSION_DIR);
        }
    }

    @Override
    public ExecResult exec(ExecRequest request) throws InterruptedException {
        if (stopped) {
            throw new ExtensionException(Category.INFRASTRUCTURE, "the runtime was stopped");
        }
        var own = label + "/" + commands.incrementAndGet();
        long before = endings.get();
        try (var run = CommandRun.start(spawner, builder(request, own), request, own)) {
            if (endings.get() != before || stopped) {
                run.kill();
            }
            return run.result();
        } catch (IOException problem) {
            throw new ExtensionException(
                    Category.INFRASTRUCTURE, "a command cannot be started: " + problem.getMessage(), problem);
        }
    }

    private ProcessBuilder builder(ExecRequest request, String own) {
        var line = new ArrayList<String>();
        line.add("setsid");
        line.addAll(sandbox.prefix());
        if (!sandbox.prefix().isEmpty()) {
            line.add("--");
        }
        line.addAll(shell());
        line.add(request.cwd() == null ? sandbox.path(sandbox.workdir()) : sandbox.path(request.cwd()));
        line.addAll(request.command());
        var builder = new ProcessBuilder(line);
        var env = builder.environment();
        env.clear();
        env.putAll(sandbox.env());
        request.env().forEach((name, value) -> env.put(name, sandbox.value(value)));
        env.put(Processes.LABEL, own);
        var input = request.stdin() == null ? Path.of("/dev/null") : request.stdin();
        return builder.redirectInput(input.toFile());
    }

    /** Goes to the folder, sets up what the task asks for before each command, and becomes the command: with a shell's exit codes and words where there is no such folder or program. */
    private List<String> shell() {
        var init = spec.directExecInitCommand();
        if (init == null) {
            return List.of("/bin/sh", "-c", "cd -- \"$1\" || exit 126\nshift\nexec \"$@\"", "sh");
        }
        var bash = Path.of("/bin/bash");
        return List.of(
                Files.isExecutable(bash) ? bash.toString() : "/bin/sh",
                "-c",
                "cd -- \"$1\" || exit 126\nshift\n{\n" + init
                        + "\n} || { echo 'direct_exec_init_command failed' >&2; exit 126; }\nexec \"$@\"",
                "sh");
    }

    @Override
    public void upload(Path source, String target) throws InterruptedException {
        var place = sandbox.view().resolve(target);
        if (!place.writable()) {
            throw new ExtensionException(
                    Category.REQUEST,
                    "'" + target + "' is read-only in a local runtime: choose a target in " + SESSION_DIR);
        }
        FileCopy.copy(source, place.host(), "cannot upload " + source + " to " + target);
    }

    @Override
    public void download(String source, Path target) throws InterruptedException {
        var place = sandbox.view().resolve(source);
        FileCopy.copy(place.host(), target, "cannot download " + source);
    }

    @Override
    public String path(String sandboxPath) {
        return sandbox.path(sandboxPath);
    }

    @Override
    public void endProcesses() {
        endings.incrementAndGet();
        end();
    }

    @Override
    public void stop() {
        stopped = true;
        spawner.end();
        if (end()) {
            journal.remove(label);
        }
    }

    private boolean end() {
        // On a thread of its own: the caller's interrupt would close the files of /proc under it.
        return Uninterrupted.call(() -> {
            boolean gone = Processes.endAll(label, OptionalLong.empty());
            if (!gone) {
                LOG.warn("processes of {} live on after SIGKILL; the node's next start tries again", label);
            }
            return gone;
        });
    }
}
