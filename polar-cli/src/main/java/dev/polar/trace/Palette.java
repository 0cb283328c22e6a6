package dev.polar.trace;

/**
 * Colours.
 *
 * @param colour false for none
 */
public record Palette(boolean colour) {
    /** What a text is. */
    enum Style {
        TITLE("1"),
        DIM("2"),
        GOOD("32"),
        BAD("31"),
        NOTE("33"),
        /** What the policy sampled. */
        SAMPLED("32"),
        /** What it was given between. */
        GIVEN("36");

        private final String code;

        Style(String code) {
            this.code = code;
        }
    }

    String paint(Style style, String text) {
        return colour && !text.isEmpty() ? "\u001b[" + style.code + "m" + text + "\u001b[0m" : text;
    }
}
