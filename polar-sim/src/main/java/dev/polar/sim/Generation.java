package dev.polar.sim;

import java.util.List;

/**
 * One request on its way through the engine.
 *
 * @param id as the answer names it
 * @param promptIds what the model is given
 * @param lines one per choice
 * @param fault what is to go wrong; {@link Fault#NONE} mostly
 */
record Generation(String id, ChatRequest request, int[] promptIds, List<SampledLine> lines, Fault fault) {
    int sampled() {
        return lines.stream().mapToInt(SampledLine::size).sum();
    }
}
