package dev.polar.sim;

/**
 * The log-probabilities of a line of tokens, as a pure function of the ids: FNV-1a (64 bit) over the ids, four little-endian bytes each, the prompt's first. After a
 * token, the upper 53 bits of the hash are a number {@code u} in [0, 1), and the token's log-probability is {@code -(0.0001 + 4 u)}.
 *
 * <p>Not thread-safe: one instance follows one line.
 */
public final class TokenLogprobs {
    private static final long OFFSET_BASIS = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private long state = OFFSET_BASIS;

    /** Starts after {@code context}, the ids before the first token that is asked for. */
    public TokenLogprobs(int[] context) {
        for (int id : context) {
            mix(id);
        }
    }

    /** Appends {@code id} and returns its log-probability, in [-4.0001, -0.0001]. */
    public double append(int id) {
        mix(id);
        return logprob(state);
    }

    /** The log-probability that {@code id} would have here, without appending it. */
    public double peek(int id) {
        long before = state;
        mix(id);
        double value = logprob(state);
        state = before;
        return value;
    }

    /** The hash of all ids so far: one number per context, used as a seed. */
    public long fingerprint() {
        return state;
    }

    private static double logprob(long state) {
        return -(0.0001 + 4.0 * ((state >>> 11) * 0x1.0p-53));
    }

    private void mix(int id) {
        for (int shift = 0; shift < 32; shift += 8) {
            state = (state ^ ((id >>> shift) & 0xff)) * PRIME;
        }
    }
}
