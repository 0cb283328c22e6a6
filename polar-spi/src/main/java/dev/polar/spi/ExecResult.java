package dev.polar.spi;

/**
 * How a command ended.
 *
 * @param exitCode its status; 128 plus the signal where a signal ended it
 * @param timedOut true where its own timeout ended it
 * @param outOfMemory true where the runtime's memory limit ended it
 * @param stdout what was kept, decoded as UTF-8 with U+FFFD for what is not
 * @param stderr the same of standard error
 * @param stdoutBytes all that was printed, in bytes
 * @param stderrBytes the same of standard error
 */
public record ExecResult(
        int exitCode,
        boolean timedOut,
        boolean outOfMemory,
        String stdout,
        String stderr,
        long stdoutBytes,
        long stderrBytes) {
    public boolean succeeded() {
        return exitCode == 0 && !timedOut;
    }
}
