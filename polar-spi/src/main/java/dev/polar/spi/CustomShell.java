package dev.polar.spi;

import java.util.Map;

/**
 * The command of {@code harness: shell}.
 *
 * @param command run by a POSIX shell; {@code {{INSTRUCTION}}} in it is replaced by the shell-quoted instruction
 * @param cwd directory in the runtime, or null for its working directory
 * @param env added for this command
 */
public record CustomShell(String command, String cwd, Map<String, String> env) {
    public CustomShell {
        Check.text("command", command);
        env = Check.env("env", env);
    }
}
