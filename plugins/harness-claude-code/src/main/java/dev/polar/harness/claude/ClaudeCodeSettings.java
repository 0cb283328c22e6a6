package dev.polar.harness.claude;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.polar.spi.Check;
import dev.polar.spi.InvalidValueException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code agent.settings} of {@code claude_code}.
 *
 * @param version of the npm package; default {@link #PINNED}
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
        Map<String, Object> modelKwargs) {
    /** The version that this harness was tried with. */
    public static final String PINNED = "2.1.197";

    private static final int HOUR_MS = 3_600_000;

    public ClaudeCodeSettings {
        if (version != null && !version.matches("[0-9][0-9A-Za-z.+-]*")) {
            throw new InvalidValueException("version", "'" + version + "' is no version such as " + PINNED);
        }
        install = Check.orElse(install, Install.AUTO);
        maxRetries = Check.orElse(Check.within("max_retries", maxRetries, 0, 1000), 10);
        apiTimeoutMs = Check.orElse(Check.within("api_timeout_ms", apiTimeoutMs, 1, Integer.MAX_VALUE), HOUR_MS);
        Check.within("max_output_tokens", maxOutputTokens, 1, Integer.MAX_VALUE);
        disallowedTools = Check.list(disallowedTools);
        modelKwargs = Check.map(modelKwargs);
    }

    /** The version that is installed where there is none. */
    String wantedVersion() {
        return version == null ? PINNED : version;
    }

    /** What happens where the runtime has no {@code claude}. */
    public enum Install {
        AUTO,
        NEVER;

        @JsonValue
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** @throws InvalidValueException for a word that is none of them */
        @JsonCreator
        public static Install of(String word) {
            for (var install : values()) {
                if (install.wire().equals(word)) {
                    return install;
                }
            }
            throw new InvalidValueException("install", "'" + word + "' is none of auto, never");
        }
    }
}
