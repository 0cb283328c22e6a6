package dev.polar.harness.claude;

import dev.polar.harness.support.AgentSettings;
import dev.polar.harness.support.Install;
import dev.polar.harness.support.NpmPackage;
import dev.polar.spi.Check;
import java.util.List;
import java.util.Map;

/**
 * {@code agent.settings} of {@code claude_code}.
 *
 * @param version of the npm package; default that of {@link #PACKAGE}
 * @param install what happens where the runtime has no {@code claude} on its path: {@code auto} (default) or {@code never}
 * @param maxRetries of a model call, by the agent itself; default 10
 * @param apiTimeoutMs how long the agent waits for an answer, in milliseconds; default one hour: the server keeps its streams alive
 * @param maxOutputTokens what the agent asks for in each call, or null for its own choice
 * @param disallowedTools names of tools that it is not to use
 * @param samplingSeed set on each call by the server
 * @param modelKwargs merged into each call's sampling by the server
 */
public record ClaudeCodeSettings(
        String version,
        Install install,
        Integer maxRetries,
        Integer apiTimeoutMs,
        Integer maxOutputTokens,
        List<String> disallowedTools,
        Long samplingSeed,
        Map<String, Object> modelKwargs)
        implements AgentSettings {
    /** The program that this harness was tried with. Version 2.1.332 was seen to work too; it asks for Node.js 22 and runs on 20. The program itself is native and needs none. */
    public static final NpmPackage PACKAGE = new NpmPackage(
            "claude_code",
            "@anthropic-ai/claude-code",
            "claude",
            "2.1.197",
            "2.1.197 || 2.1.332",
            0,
            "install.cjs",
            false);

    private static final int HOUR_MS = 3_600_000;

    public ClaudeCodeSettings {
        AgentSettings.version(version, PACKAGE);
        install = AgentSettings.install(install);
        maxRetries = Check.orElse(Check.within("max_retries", maxRetries, 0, 1000), 10);
        apiTimeoutMs = Check.orElse(Check.within("api_timeout_ms", apiTimeoutMs, 1, Integer.MAX_VALUE), HOUR_MS);
        Check.within("max_output_tokens", maxOutputTokens, 1, Integer.MAX_VALUE);
        disallowedTools = Check.list(disallowedTools);
        modelKwargs = AgentSettings.modelKwargs(modelKwargs);
    }
}
