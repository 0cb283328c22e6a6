package dev.polar.runtime.local;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.polar.spi.InvalidValueException;
import java.util.Locale;

/** Whether sessions get a view of the file system made by bubblewrap. */
public enum BubblewrapUse {
    /** Where it works. */
    AUTO,
    /** A session that cannot have it is an error. */
    ALWAYS,
    NEVER;

    @JsonValue
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws InvalidValueException for a word that is none of them */
    @JsonCreator
    public static BubblewrapUse of(String word) {
        for (var use : values()) {
            if (use.wire().equals(word)) {
                return use;
            }
        }
        throw new InvalidValueException("bubblewrap", "'" + word + "' is none of auto, always, never");
    }
}
