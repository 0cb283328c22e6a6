package dev.polar.inference;

/** A text that comes in pieces, and is passed on in pieces that can each stand alone: half of a surrogate pair waits for the other. Not thread-safe. */
final class GrowingText {
    private final StringBuilder all = new StringBuilder();
    private int told;

    void append(String more) {
        all.append(more);
    }

    /**
     * What was not yet passed on.
     *
     * @param end true where nothing more comes
     * @return empty where there is nothing
     */
    String next(boolean end) {
        int until = all.length();
        if (!end && until > told && Character.isHighSurrogate(all.charAt(until - 1))) {
            until--;
        }
        var next = all.substring(told, until);
        told = until;
        return next;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** All of it. */
    @Override
    public String toString() {
        return all.toString();
    }
}
