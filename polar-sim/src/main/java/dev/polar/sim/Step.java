package dev.polar.sim;

/**
 * What one sampled token brought.
 *
 * @param id its id; -1 for a step without a token, which only tells that the line was ended from outside
 * @param text the text that may now be shown: behind the token's own where a stop string or half a character is waited for
 * @param finish null while the line goes on
 */
record Step(int id, double logprob, String text, Finish finish) {
    boolean hasToken() {
        return id >= 0;
    }
}
