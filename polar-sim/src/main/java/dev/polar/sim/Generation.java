package dev.polar.sim;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * One request on its way through the engine.
 *
 * @param id as the answer names it
 * @param promptIds what the model is given
 * @param lines one per choice
 * @param began when it came in
 * @param fault what is to go wrong; {@link Fault#NONE} mostly
 */
record Generation(
        String id, ChatRequest request, int[] promptIds, List<SampledLine> lines, Instant began, Fault fault) {
    Duration age() {
        return Duration.between(began, Instant.now());
    }

    /** Tokens of all choices. */
    int sampled() {
        return lines.stream().mapToInt(SampledLine::size).sum();
    }
}
