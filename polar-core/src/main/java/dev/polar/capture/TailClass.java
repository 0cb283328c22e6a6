package dev.polar.capture;

import java.util.Locale;

/** How a later prompt gives back an answer. */
public enum TailClass {
    /** By its own ids. */
    EXACT,
    /** As the same text in other ids. */
    RETOKENIZED,
    /** In another way, or not at all. */
    REWRITTEN;

    /** In lower case, as in spans. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
