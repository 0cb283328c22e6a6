package dev.polar.harness.codex;

import dev.polar.harness.support.AgentSettings;
import dev.polar.harness.support.Install;
import dev.polar.harness.support.NpmPackage;
import dev.polar.spi.Check;
import dev.polar.spi.InvalidValueException;
import java.util.Map;

/**
 * {@code agent.settings} of {@code codex}.
 *
 * @param version of the npm package; default that of {@link #PACKAGE}
 * @param install what happens where the runtime has no {@code codex} on its path: {@code auto} (default) or {@code never}
 * @param reasoningEffort what the agent asks of the model: a word such as {@code low}, {@code medium} or {@code high}; null for its own choice
 * @param contextWindow the model's, in tokens, by which the agent judges what still fits; null for its own guess, which is large for a model that it does not know
 * @param autoCompactTokens length of the history, in tokens, from which on the agent has it summed up; null for its own choice
 * @param requestMaxRetries of a model call that was refused, by the agent itself; default 4
 * @param streamMaxRetries of a model call whose answer broke off; default 5
 * @param streamIdleTimeoutMs how long the agent waits for the next event of an answer, in milliseconds; default 5 minutes: the server keeps its streams alive
 * @param config of the agent's own {@code config.toml}, laid over what this harness writes there: tables are merged, all else is replaced
 * @param samplingSeed set on each call by the server
 * @param modelKwargs merged into each call's sampling by the server
 */
public record CodexSettings(
        String version,
        Install install,
        String reasoningEffort,
        Integer contextWindow,
        Integer autoCompactTokens,
        Integer requestMaxRetries,
        Integer streamMaxRetries,
        Integer streamIdleTimeoutMs,
        Map<String, Object> config,
        Long samplingSeed,
        Map<String, Object> modelKwargs)
        implements AgentSettings {
    /** The program that this harness was tried with. What npm puts on the path is a script of Node.js that starts the native program. */
    public static final NpmPackage PACKAGE =
            new NpmPackage("codex", "@openai/codex", "codex", "0.171.0", "0.171.0", 16, null, false);

    private static final int FIVE_MINUTES_MS = 300_000;

    public CodexSettings {
        AgentSettings.version(version, PACKAGE);
        install = AgentSettings.install(install);
        if (reasoningEffort != null && !reasoningEffort.matches("[a-z]+")) {
            throw new InvalidValueException(
                    "reasoning_effort", "'" + reasoningEffort + "' is no word such as low, medium or high");
        }
        Check.within("context_window", contextWindow, 1, Integer.MAX_VALUE);
        Check.within("auto_compact_tokens", autoCompactTokens, 1, Integer.MAX_VALUE);
        requestMaxRetries = Check.orElse(Check.within("request_max_retries", requestMaxRetries, 0, 100), 4);
        streamMaxRetries = Check.orElse(Check.within("stream_max_retries", streamMaxRetries, 0, 100), 5);
        streamIdleTimeoutMs = Check.orElse(
                Check.within("stream_idle_timeout_ms", streamIdleTimeoutMs, 1, Integer.MAX_VALUE), FIVE_MINUTES_MS);
        config = Check.map(config);
        modelKwargs = AgentSettings.modelKwargs(modelKwargs);
    }
}
