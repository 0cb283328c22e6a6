package dev.polar.continuation;

import java.util.Locale;

/** How a turn's prompt was made. On the wire in lower case. */
public enum Made {
    /** Nothing was known to go on from. */
    FIRST,
    /** It goes on from the ids of the turn before. */
    SPLICED,
    /** It goes on from the ids of an older turn, since a later one was changed. */
    PARTIAL,
    /** The engine rendered the messages. */
    NONE;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
