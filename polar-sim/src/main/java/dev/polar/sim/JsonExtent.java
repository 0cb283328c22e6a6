package dev.polar.sim;

/** Finds where a JSON value ends, by its brackets and strings alone, so that broken JSON has an end too. Not thread-safe. */
final class JsonExtent {
    private int depth;
    private boolean begun;
    private boolean complete;
    private boolean inString;
    private boolean escaped;

    boolean complete() {
        return complete;
    }

    /** How many of the first {@code until} characters belong to the value. */
    int take(CharSequence text, int until) {
        for (int i = 0; i < until && !complete; i++) {
            char next = text.charAt(i);
            if (!inString && depth == 0 && begun && (next == '}' || next == ',' || Character.isWhitespace(next))) {
                complete = true; // a bare value ends before what follows it
                return i;
            }
            begun = true;
            step(next);
            if (complete) {
                return i + 1;
            }
        }
        return complete ? 0 : until;
    }

    private void step(char next) {
        if (inString) {
            inString = escaped || next != '"';
            escaped = !escaped && next == '\\';
            complete = !inString && depth == 0;
            return;
        }
        switch (next) {
            case '"' -> inString = true;
            case '{', '[' -> depth++;
            case '}', ']' -> {
                depth--;
                complete = depth <= 0;
            }
            default -> {} // part of a number or a word
        }
    }
}
