package dev.polar.harness.support;

/** Words of a POSIX shell. */
public final class Shell {
    private Shell() {}

    /** One word, whatever stands in {@code text}. */
    public static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
