package dev.polar.spi;

import java.util.List;
import java.util.Map;

/**
 * Which agent runs, and how.
 *
 * @param harness name of a harness; exactly one of this and {@code importPath}
 * @param importPath an opaque name that a harness may claim
 * @param modelName the model that the agent asks for, or null for the harness's own choice
 * @param settings the harness's own; bound to {@link Harness#settingsType()} when the session starts
 * @param env seen by the agent from RUN on
 * @param mcpServers tool servers that the agent is told of
 * @param skillsPath folder on the node, or null
 * @param customShell the command, only and always with {@code harness: shell}
 * @param sampling wins over what the agent asks for; null for none
 */
public record AgentSpec(
        String harness,
        String importPath,
        String modelName,
        Map<String, Object> settings,
        Map<String, String> env,
        List<McpServer> mcpServers,
        String skillsPath,
        CustomShell customShell,
        Sampling sampling) {
    public AgentSpec {
        if ((harness == null) == (importPath == null)) {
            throw new InvalidValueException("harness", "exactly one of harness and import_path is needed");
        }
        Check.text(harness == null ? "import_path" : "harness", name(harness, importPath));
        settings = Check.map(settings);
        env = Check.env("env", env);
        mcpServers = Check.list(mcpServers);
        if ("shell".equals(harness) != (customShell != null)) {
            throw new InvalidValueException(
                    "custom_shell",
                    "goes with harness: shell, always and only; here it is '" + name(harness, importPath) + "'");
        }
    }

    /** The name that a harness must claim: {@code harness} or {@code import_path}, whichever is set. */
    public String name() {
        return name(harness, importPath);
    }

    private static String name(String harness, String importPath) {
        return harness == null ? importPath : harness;
    }
}
