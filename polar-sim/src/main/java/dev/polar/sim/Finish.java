package dev.polar.sim;

/**
 * Why a line of tokens ended.
 *
 * @param reason {@code stop}, {@code length} or {@code abort}
 * @param matchedText the stop string that ended it; null where none did
 * @param matchedId the stop id that ended it, the end of the turn included; -1 where none did
 */
record Finish(String reason, String matchedText, int matchedId) {
    static final Finish LENGTH = new Finish("length", null, -1);
    static final Finish ABORT = new Finish("abort", null, -1);

    static Finish stop(int id) {
        return new Finish("stop", null, id);
    }

    static Finish stop(String text) {
        return new Finish("stop", text, -1);
    }
}
