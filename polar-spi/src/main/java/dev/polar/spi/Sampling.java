package dev.polar.spi;

/**
 * Sampling values; each null where it says nothing.
 *
 * @param temperature at least 0
 * @param topP in 0..1
 * @param topK -1 for all, else at least 1
 * @param minP in 0..1
 * @param maxTokens output limit in tokens, at least 1
 * @param seed any
 */
public record Sampling(Double temperature, Double topP, Integer topK, Double minP, Integer maxTokens, Long seed) {
    /** Says nothing about anything. */
    public static final Sampling NONE = new Sampling(null, null, null, null, null, null);

    public Sampling {
        Check.within("temperature", temperature, 0, Double.MAX_VALUE);
        Check.within("top_p", topP, 0, 1);
        if (topK != null && topK < 1 && topK != -1) {
            throw new InvalidValueException("top_k", topK + " must be -1 (all) or at least 1");
        }
        Check.within("min_p", minP, 0, 1);
        Check.within("max_tokens", maxTokens, 1, Integer.MAX_VALUE);
    }

    /** These values, and {@code other}'s where this one says nothing. */
    public Sampling orElse(Sampling other) {
        return new Sampling(
                Check.orElse(temperature, other.temperature),
                Check.orElse(topP, other.topP),
                Check.orElse(topK, other.topK),
                Check.orElse(minP, other.minP),
                Check.orElse(maxTokens, other.maxTokens),
                Check.orElse(seed, other.seed));
    }
}
