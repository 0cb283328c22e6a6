package dev.polar.spi;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The dialect that an agent speaks; in JSON in lower case. */
public enum ApiType {
    ANTHROPIC,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    GOOGLE;

    @JsonValue
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
