package dev.polar.spi;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Where a task is; in JSON in lower case. */
public enum TaskState {
    RUNNING,
    COMPLETED,
    FAILED,
    CANCELLING,
    CANCELLED;

    @JsonValue
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws InvalidValueException for a word that is none of them */
    @JsonCreator
    public static TaskState of(String word) {
        for (var state : values()) {
            if (state.wire().equals(word)) {
                return state;
            }
        }
        throw new InvalidValueException(
                "status", "'" + word + "' is none of running, completed, failed, cancelling, cancelled");
    }

    /** True where nothing comes after it. */
    public boolean terminal() {
        return this == COMPLETED || this == FAILED || this == CANCELLED;
    }
}
