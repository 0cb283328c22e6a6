package dev.polar.harness.gemini;

import dev.polar.harness.support.AgentSettings;
import dev.polar.harness.support.Install;
import dev.polar.harness.support.NpmPackage;
import dev.polar.spi.Check;
import java.util.List;
import java.util.Map;

/**
 * {@code agent.settings} of {@code gemini_cli}.
 *
 * @param version of the npm package; default that of {@link #PACKAGE}
 * @param install what happens where the runtime has no {@code gemini} on its path: {@code auto} (default) or {@code never}
 * @param maxAttempts how often the agent asks for one answer, the first time included; default 10, which is also the most that it does. It waits 5 s after the first, twice as long after
 *     each next one, 30 s at most
 * @param maxTurns how many answers of the main line it asks for before it gives up; null (default) for no limit
 * @param compactAtTokens length of a prompt from which on the agent replaces its history by a summary; null (default) for its own choice, which is half of the 1,048,576 tokens that it takes
 *     every model's window for. It does so only where an answer without a tool call stands in the history, so within one task only with {@code nextSpeakerCheck}
 * @param nextSpeakerCheck whether the agent asks the model, after an answer without a tool call, if it wants to go on; default false, as the agent's own
 * @param loopDetection whether the agent stops when the model repeats itself; default true, as the agent's own
 * @param subagents whether the model can delegate to sub-agents; default true, as the agent's own
 * @param disallowedTools names of tools that the model is not offered
 * @param samplingSeed set on each call by the server
 * @param modelKwargs merged into each call's sampling by the server
 */
public record GeminiCliSettings(
        String version,
        Install install,
        Integer maxAttempts,
        Integer maxTurns,
        Integer compactAtTokens,
        Boolean nextSpeakerCheck,
        Boolean loopDetection,
        Boolean subagents,
        List<String> disallowedTools,
        Long samplingSeed,
        Map<String, Object> modelKwargs)
        implements AgentSettings {
    /** The program that this harness was tried with. */
    public static final NpmPackage PACKAGE =
            new NpmPackage("gemini_cli", "@google/gemini-cli", "gemini", "0.61.0", "0.61.0", 20, null, true);

    /** What the agent takes for the window of every model whose name it does not know, in tokens. */
    static final int ASSUMED_WINDOW = 1_048_576;

    private static final int MOST_ATTEMPTS = 10;

    public GeminiCliSettings {
        AgentSettings.version(version, PACKAGE);
        install = AgentSettings.install(install);
        maxAttempts = Check.orElse(Check.within("max_attempts", maxAttempts, 1, MOST_ATTEMPTS), MOST_ATTEMPTS);
        Check.within("max_turns", maxTurns, 1, Integer.MAX_VALUE);
        Check.within("compact_at_tokens", compactAtTokens, 1, ASSUMED_WINDOW);
        nextSpeakerCheck = Check.orElse(nextSpeakerCheck, false);
        loopDetection = Check.orElse(loopDetection, true);
        subagents = Check.orElse(subagents, true);
        disallowedTools = Check.list(disallowedTools);
        modelKwargs = AgentSettings.modelKwargs(modelKwargs);
    }
}
