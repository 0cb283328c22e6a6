package dev.polar.runtime.local;

import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * One command on its way. Its output is read by two threads of its own, so that neither stream can fill up and hold the other; {@link #close} ends whatever the command has left behind, and with
 * it the writers of its pipes.
 */
final class CommandRun implements AutoCloseable {
    private static final Duration PUMP_PATIENCE = Duration.ofSeconds(10);
    private static final int BUFFER_BYTES = 16 * 1024;

    private final Process process;
    private final String label;
    private final Duration timeout;
    private final List<LogFile> files = new ArrayList<>();
    private KeptOutput stdout;
    private KeptOutput stderr;
    private Thread stdoutPump;
    private Thread stderrPump;
    private boolean ended;

    private CommandRun(Process process, String label, Duration timeout) {
        this.process = process;
        this.label = label;
        this.timeout = timeout;
    }

    static CommandRun start(Spawner spawner, ProcessBuilder builder, ExecRequest request, String label)
            throws IOException {
        var files = new ArrayList<LogFile>();
        boolean started = false;
        try {
            var out = open(request.stdoutFile(), files);
            boolean shared =
                    request.stderrFile() != null && request.stderrFile().equals(request.stdoutFile());
            var err = shared ? out : open(request.stderrFile(), files);
            var run = new CommandRun(spawner.start(builder), label, request.timeout());
            run.files.addAll(files);
            run.stdout = new KeptOutput(request.maxOutputBytes(), out);
            run.stderr = new KeptOutput(request.maxOutputBytes(), err);
            run.stdoutPump = pump(run.process.getInputStream(), run.stdout);
            run.stderrPump = pump(run.process.getErrorStream(), run.stderr);
            started = true;
            return run;
        } finally {
            if (!started) {
                files.forEach(LogFile::close);
            }
        }
    }

    private static LogFile open(Path path, List<LogFile> files) throws IOException {
        if (path == null) {
            return null;
        }
        var file = LogFile.open(path);
        files.add(file);
        return file;
    }

    private static Thread pump(InputStream from, KeptOutput to) {
        return Thread.ofVirtual().name("command-output").start(() -> {
            var buffer = new byte[BUFFER_BYTES];
            try {
                for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
                    to.add(buffer, read);
                }
            } catch (IOException closed) {
                // The process is gone, and its pipe with it.
            }
        });
    }

    /** Waits for the command, and ends it at its timeout. */
    ExecResult result() throws InterruptedException {
        boolean inTime = true;
        if (timeout == null) {
            process.waitFor();
        } else {
            inTime = process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS);
        }
        end();
        for (var file : files) {
            if (file.problem().isPresent()) {
                throw new ExtensionException(
                        Category.INFRASTRUCTURE, file.problem().get());
            }
        }
        int code = process.exitValue();
        return new ExecResult(code, !inTime, false, stdout.text(), stderr.text(), stdout.total(), stderr.total());
    }

    /** Ends the command at once; {@link #result} then says so. */
    void kill() {
        Uninterrupted.call(() -> Processes.endAll(label, OptionalLong.of(process.pid())));
    }

    @Override
    public void close() {
        end();
    }

    private void end() {
        if (ended) {
            return;
        }
        ended = true;
        boolean gone = Uninterrupted.call(this::endAndDrain);
        if (!gone) {
            throw new ExtensionException(
                    Category.INFRASTRUCTURE,
                    "processes of a command live on after SIGKILL; see the node's process list");
        }
    }

    /** What the command left goes first: only then do its pipes end. */
    private boolean endAndDrain() {
        boolean gone = Processes.endAll(label, OptionalLong.of(process.pid()));
        try {
            process.waitFor();
            boolean drained = stdoutPump.join(PUMP_PATIENCE) & stderrPump.join(PUMP_PATIENCE);
            if (drained) {
                stdout.finish();
                stderr.finish();
            }
            files.forEach(LogFile::close);
            return gone && drained;
        } catch (InterruptedException nobodyInterruptsThisThread) {
            throw new IllegalStateException(nobodyInterruptsThisThread);
        }
    }
}
