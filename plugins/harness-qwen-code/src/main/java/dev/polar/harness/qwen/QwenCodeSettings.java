package dev.polar.harness.qwen;

import dev.polar.harness.support.AgentSettings;
import dev.polar.harness.support.Install;
import dev.polar.harness.support.NpmPackage;
import dev.polar.spi.Check;
import java.util.List;
import java.util.Map;

/**
 * {@code agent.settings} of {@code qwen_code}.
 *
 * @param version of the npm package; default that of {@link #PACKAGE}
 * @param install what happens where the runtime has no {@code qwen} on its path: {@code auto} (default) or {@code never}
 * @param maxRetries how often the agent's HTTP client sends a failed call again, at each of up to seven tries that the agent makes on its own; default 0: the seven are enough
 * @param contextWindow in tokens, against which the agent decides when to compact; null for its own guess by the model's name (128,000 for one that it does not know)
 * @param maxOutputTokens what the agent asks for in each call, or null for its own choice (32,000, less near the window's end)
 * @param maxTurns after how many model calls the agent stops, or null for no limit
 * @param memory whether the agent lets a helper of its own note facts for later sessions; default false: a session's home is no other's, so that nobody would read them
 * @param excludedTools names of tools that it is not offered
 * @param samplingSeed set on each call by the server
 * @param modelKwargs merged into each call's sampling by the server
 */
public record QwenCodeSettings(
        String version,
        Install install,
        Integer maxRetries,
        Integer contextWindow,
        Integer maxOutputTokens,
        Integer maxTurns,
        Boolean memory,
        List<String> excludedTools,
        Long samplingSeed,
        Map<String, Object> modelKwargs)
        implements AgentSettings {
    /** The program that this harness was tried with. It asks for Node.js 22 and runs on 20. */
    public static final NpmPackage PACKAGE =
            new NpmPackage("qwen_code", "@qwen-code/qwen-code", "qwen", "0.24.4", "0.24.4", 20, null, true);

    public QwenCodeSettings {
        AgentSettings.version(version, PACKAGE);
        install = AgentSettings.install(install);
        maxRetries = Check.orElse(Check.within("max_retries", maxRetries, 0, 1000), 0);
        Check.within("context_window", contextWindow, 1, Integer.MAX_VALUE);
        Check.within("max_output_tokens", maxOutputTokens, 1, Integer.MAX_VALUE);
        Check.within("max_turns", maxTurns, 1, Integer.MAX_VALUE);
        memory = Check.orElse(memory, false);
        excludedTools = Check.list(excludedTools);
        modelKwargs = AgentSettings.modelKwargs(modelKwargs);
    }
}
