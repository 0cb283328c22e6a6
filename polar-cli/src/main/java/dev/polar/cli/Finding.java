package dev.polar.cli;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What {@code polar doctor} saw of one thing.
 *
 * @param name what was looked at
 * @param text what was seen, and where something is amiss, the remedy
 */
record Finding(String name, Verdict verdict, String text) {
    /** How the look ended. */
    enum Verdict {
        OK,
        /** Only some sessions need it. */
        MISSING,
        WRONG
    }

    Map<String, String> json() {
        var fields = new LinkedHashMap<String, String>();
        fields.put("name", name);
        fields.put("verdict", verdict.name().toLowerCase(Locale.ROOT));
        fields.put("text", text);
        return fields;
    }
}
