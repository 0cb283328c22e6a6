package dev.polar.continuation;

import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/** How the text of an answer, as a template shows it, relates to what was sampled. On the wire in lower case. */
public enum TextClass {
    /** The very ids: nothing is replaced. */
    SAME_IDS,
    /** The same text in other ids. */
    SAME_TEXT,
    /** It differs in white space alone, as JSON that was spaced anew does. */
    WHITE_SPACE,
    /** The template leaves out the reasoning. */
    REASONING_DROPPED;

    private static final String CUT = "\uFFFD";

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Compares what is shown with what was sampled. A last character of which only a part was sampled is not shown.
     *
     * @param reasoning of the answer, the empty text where it has none; asked where it matters
     * @return empty where the texts differ in any other way
     */
    static Optional<TextClass> of(String shown, String sampled, Supplier<String> reasoning) {
        var one = withoutCut(shown);
        var other = withoutCut(sampled);
        if (one.equals(other)) {
            return Optional.of(SAME_TEXT);
        }
        var dense = dense(one);
        var whole = dense(other);
        if (dense.equals(whole)) {
            return Optional.of(WHITE_SPACE);
        }
        return isWithout(dense, whole, dense(reasoning.get())) ? Optional.of(REASONING_DROPPED) : Optional.empty();
    }

    private static String withoutCut(String text) {
        int end = text.length();
        while (text.startsWith(CUT, end - 1)) {
            end--;
        }
        return text.substring(0, end);
    }

    private static String dense(String text) {
        var dense = new StringBuilder(text.length());
        text.codePoints()
                .filter(c -> !Character.isWhitespace(c) && !Character.isSpaceChar(c))
                .forEach(dense::appendCodePoint);
        return dense.toString();
    }

    /** True where {@code shown} is {@code whole} without one piece of it, in which {@code reasoning} stands. */
    private static boolean isWithout(String shown, String whole, String reasoning) {
        int missing = whole.length() - shown.length();
        if (reasoning.isEmpty() || missing < reasoning.length()) {
            return false;
        }
        int before = 0;
        while (before < shown.length() && shown.charAt(before) == whole.charAt(before)) {
            before++;
        }
        int after = 0;
        while (after < shown.length()
                && shown.charAt(shown.length() - 1 - after) == whole.charAt(whole.length() - 1 - after)) {
            after++;
        }
        int first = shown.length() - after;
        for (int at = whole.indexOf(reasoning); at >= 0; at = whole.indexOf(reasoning, at + 1)) {
            int earliest = Math.max(first, at + reasoning.length() - missing);
            if (earliest <= Math.min(before, at)) {
                return true;
            }
        }
        return false;
    }
}
