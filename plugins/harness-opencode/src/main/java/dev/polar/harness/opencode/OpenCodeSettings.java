package dev.polar.harness.opencode;

import dev.polar.harness.support.AgentSettings;
import dev.polar.harness.support.Install;
import dev.polar.harness.support.NpmPackage;
import dev.polar.spi.ApiType;
import dev.polar.spi.Check;
import java.util.List;
import java.util.Map;

/**
 * {@code agent.settings} of {@code opencode}.
 *
 * @param version of the npm package; default that of {@link #PACKAGE}
 * @param install what happens where the runtime has no {@code opencode} on its path: {@code auto} (default) or {@code never}
 * @param api the dialect that the agent speaks: {@code openai_chat} (default), {@code openai_responses}, {@code anthropic} or {@code google}
 * @param contextWindow in tokens, against which the agent decides when to compact; null for a window that it takes for endless
 * @param maxOutputTokens what the agent asks for in each call; null for its own choice (32,000)
 * @param compaction whether the agent may rewrite its history when the window gets full: replace it by a summary, and drop old tool results; default false, since it breaks the chain, and since
 *     an agent that may answers an error of the context with one compaction after the other
 * @param title whether the agent lets the model find a title for its session, in a call beside the first one; default false
 * @param excludedTools names of tools that it is not offered
 * @param samplingSeed set on each call by the server
 * @param modelKwargs merged into each call's sampling by the server
 */
public record OpenCodeSettings(
        String version,
        Install install,
        ApiType api,
        Integer contextWindow,
        Integer maxOutputTokens,
        Boolean compaction,
        Boolean title,
        List<String> excludedTools,
        Long samplingSeed,
        Map<String, Object> modelKwargs)
        implements AgentSettings {
    /** The program that this harness was tried with. It is native and needs no Node.js. */
    public static final NpmPackage PACKAGE =
            new NpmPackage("opencode", "opencode-ai", "opencode", "1.18.33", "1.18.33", 0, "postinstall.mjs", false);

    public OpenCodeSettings {
        AgentSettings.version(version, PACKAGE);
        install = AgentSettings.install(install);
        api = Check.orElse(api, ApiType.OPENAI_CHAT);
        Check.within("context_window", contextWindow, 1, Integer.MAX_VALUE);
        Check.within("max_output_tokens", maxOutputTokens, 1, Integer.MAX_VALUE);
        compaction = Check.orElse(compaction, false);
        title = Check.orElse(title, false);
        excludedTools = Check.list(excludedTools);
        modelKwargs = AgentSettings.modelKwargs(modelKwargs);
    }
}
