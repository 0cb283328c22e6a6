package dev.polar.harness.support;

import dev.polar.spi.Check;
import dev.polar.spi.InvalidValueException;
import java.util.Map;

/**
 * The keys of {@code agent.settings} that every agent from npm has. A harness's record of settings implements it; its constructor passes each through the check of the same name.
 *
 * <p>The server itself reads {@code sampling_seed} and {@code model_kwargs} and applies them to each model call: a record has them so that the keys are known.
 */
public interface AgentSettings {
    /** The version that the task wants, or null for the pinned one. */
    String version();

    /** Never null. */
    Install install();

    /** Set on each call by the server; null for none. */
    Long samplingSeed();

    /** Merged into each call's sampling by the server; never null. */
    Map<String, Object> modelKwargs();

    /** The version that is installed where there is none, and that another is a warning against. */
    default String wantedVersion(NpmPackage npmPackage) {
        return version() == null ? npmPackage.pinned() : version();
    }

    /** @throws InvalidValueException where it is neither null nor a version; ranges and tags are none, since what they name changes */
    static String version(String version, NpmPackage npmPackage) {
        if (version != null && !version.matches("[0-9][0-9A-Za-z.+-]*")) {
            throw new InvalidValueException(
                    "version", "'" + version + "' is no version such as " + npmPackage.pinned());
        }
        return version;
    }

    /** The default is {@link Install#AUTO}. */
    static Install install(Install install) {
        return Check.orElse(install, Install.AUTO);
    }

    /** The default is the empty map. */
    static Map<String, Object> modelKwargs(Map<String, Object> modelKwargs) {
        return Check.map(modelKwargs);
    }
}
