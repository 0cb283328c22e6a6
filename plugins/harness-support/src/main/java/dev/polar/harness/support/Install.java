package dev.polar.harness.support;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.polar.spi.InvalidValueException;
import java.util.Locale;

/** {@code settings.install}: what happens where the runtime has no such program on its path. */
public enum Install {
    /** The node installs it from npm, once for all sessions. */
    AUTO,
    /** The session fails, and says so. */
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
