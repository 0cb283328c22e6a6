package dev.polar.harness.pi;

import dev.polar.harness.support.AgentSettings;
import dev.polar.harness.support.Install;
import dev.polar.harness.support.NpmPackage;
import dev.polar.spi.ApiType;
import dev.polar.spi.Check;
import dev.polar.spi.InvalidValueException;
import java.util.Map;
import java.util.Set;

/**
 * {@code agent.settings} of {@code pi}.
 *
 * @param version of the npm package; default that of {@link #PACKAGE}
 * @param install what happens where the runtime has no {@code pi} on its path: {@code auto} (default) or {@code never}
 * @param api the dialect that the agent speaks: {@code openai_chat} (default), {@code openai_responses}, {@code anthropic} or {@code google}
 * @param thinking how much the agent has the model think: {@code off} (default), {@code minimal}, {@code low}, {@code medium}, {@code high} or {@code xhigh}
 * @param images whether the agent shows the model pictures; false by default: then it says in words that there was one
 * @param contextWindow the model's, in tokens, by which the agent judges what still fits; default 128,000
 * @param maxOutputTokens what the agent asks for in each call; default 16,384
 * @param compaction whether the agent sums its history up when it does not fit any more, and goes on; false by default: the run then ends as {@code out_of_context}. In print mode version 0.74.2
 *     says nothing more once it does so, so that its run counts as failed; its calls are labelled and train all the same
 * @param maxRetries of a model call that failed, by the agent itself; default 3
 * @param retryDelayMs before the first of them, doubled for each later one, in milliseconds; default 2,000
 * @param apiTimeoutMs how long the agent waits for an answer, in milliseconds; default one hour: the server keeps its streams alive
 * @param samplingSeed set on each call by the server
 * @param modelKwargs merged into each call's sampling by the server
 */
public record PiSettings(
        String version,
        Install install,
        ApiType api,
        String thinking,
        Boolean images,
        Integer contextWindow,
        Integer maxOutputTokens,
        Boolean compaction,
        Integer maxRetries,
        Integer retryDelayMs,
        Integer apiTimeoutMs,
        Long samplingSeed,
        Map<String, Object> modelKwargs)
        implements AgentSettings {
    /** The program that this harness was tried with; the newest for Node.js 20. */
    public static final NpmPackage PACKAGE =
            new NpmPackage("pi", "@earendil-works/pi-coding-agent", "pi", "0.74.2", "0.74.2", 20, null, true);

    private static final Set<String> LEVELS = Set.of("off", "minimal", "low", "medium", "high", "xhigh");
    private static final int HOUR_MS = 3_600_000;

    public PiSettings {
        AgentSettings.version(version, PACKAGE);
        install = AgentSettings.install(install);
        api = Check.orElse(api, ApiType.OPENAI_CHAT);
        thinking = Check.orElse(thinking, "off");
        if (!LEVELS.contains(thinking)) {
            throw new InvalidValueException(
                    "thinking", "'" + thinking + "' is none of off, minimal, low, medium, high, xhigh");
        }
        images = Check.orElse(images, false);
        contextWindow = count("context_window", contextWindow, 128_000);
        maxOutputTokens = count("max_output_tokens", maxOutputTokens, 16_384);
        compaction = Check.orElse(compaction, false);
        maxRetries = Check.orElse(Check.within("max_retries", maxRetries, 0, 1000), 3);
        retryDelayMs = count("retry_delay_ms", retryDelayMs, 2_000);
        apiTimeoutMs = count("api_timeout_ms", apiTimeoutMs, HOUR_MS);
        modelKwargs = AgentSettings.modelKwargs(modelKwargs);
    }

    private static int count(String key, Integer value, int byDefault) {
        return Check.orElse(Check.within(key, value, 1, Integer.MAX_VALUE), byDefault);
    }
}
