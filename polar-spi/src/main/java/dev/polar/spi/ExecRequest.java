package dev.polar.spi;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One command in a runtime.
 *
 * @param command program and arguments; run as they are, without a shell
 * @param cwd directory in the runtime, or null for its working directory
 * @param env added to the runtime's environment
 * @param timeout null for none of its own
 * @param stdin file on the node that the command reads, or null for an empty input
 * @param stdoutFile file on the node that keeps the whole output up to {@code maxOutputBytes}, or null
 * @param stderrFile the same of standard error; may be the same file
 * @param maxOutputBytes what is kept of each stream, in bytes; more is counted and dropped, with a note
 */
public record ExecRequest(
        List<String> command,
        String cwd,
        Map<String, String> env,
        Duration timeout,
        Path stdin,
        Path stdoutFile,
        Path stderrFile,
        long maxOutputBytes) {
    /** What is kept of a stream where nothing else is said: 8 MiB. */
    public static final long DEFAULT_MAX_OUTPUT_BYTES = 8L << 20;

    public ExecRequest {
        command = Check.list(command);
        if (command.isEmpty()) {
            throw new InvalidValueException("command", "must name a program");
        }
        env = Check.env("env", env);
        if (maxOutputBytes <= 0) {
            throw new InvalidValueException("max_output_bytes", maxOutputBytes + " must be greater than 0");
        }
    }

    /** A program with its arguments. */
    public static ExecRequest of(String... command) {
        return new ExecRequest(List.of(command), null, Map.of(), null, null, null, null, DEFAULT_MAX_OUTPUT_BYTES);
    }

    /** A command line for {@code /bin/sh}. */
    public static ExecRequest shell(String commandLine) {
        return of("/bin/sh", "-c", commandLine);
    }

    public ExecRequest withCwd(String other) {
        return new ExecRequest(command, other, env, timeout, stdin, stdoutFile, stderrFile, maxOutputBytes);
    }

    public ExecRequest withEnv(Map<String, String> other) {
        return new ExecRequest(command, cwd, other, timeout, stdin, stdoutFile, stderrFile, maxOutputBytes);
    }

    public ExecRequest withTimeout(Duration other) {
        return new ExecRequest(command, cwd, env, other, stdin, stdoutFile, stderrFile, maxOutputBytes);
    }

    public ExecRequest withStdin(Path other) {
        return new ExecRequest(command, cwd, env, timeout, other, stdoutFile, stderrFile, maxOutputBytes);
    }

    public ExecRequest withOutputFiles(Path stdout, Path stderr) {
        return new ExecRequest(command, cwd, env, timeout, stdin, stdout, stderr, maxOutputBytes);
    }

    public ExecRequest withMaxOutputBytes(long other) {
        return new ExecRequest(command, cwd, env, timeout, stdin, stdoutFile, stderrFile, other);
    }
}
