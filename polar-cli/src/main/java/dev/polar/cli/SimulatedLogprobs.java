package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Proves log-probabilities from ids alone: the simulator's log-probability of a token is a function of all ids up to it (FNV-1a, 64 bit, over four little-endian bytes each). */
final class SimulatedLogprobs {
    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private SimulatedLogprobs() {}

    /** Positions of the response that train although their log-probability is another token's or another context's. */
    static List<Integer> wrongPositions(JsonNode trace) {
        var expected = of(TraceCheck.ids(trace.path("prompt_ids")), TraceCheck.ids(trace.path("response_ids")));
        var wrong = new ArrayList<Integer>();
        for (int i = 0; i < expected.length; i++) {
            if (trace.path("loss_mask").get(i).asInt() == 1
                    && trace.path("response_logprobs").get(i).asDouble() != expected[i]) {
                wrong.add(i);
            }
        }
        return wrong;
    }

    /** What the simulator says of {@code sampled} after {@code context}. */
    static double[] of(int[] context, int[] sampled) {
        var state = OFFSET;
        for (var id : context) {
            state = add(state, id);
        }
        var logprobs = new double[sampled.length];
        for (int i = 0; i < sampled.length; i++) {
            state = add(state, sampled[i]);
            logprobs[i] = -(0.0001 + 4.0 * ((state >>> 11) * 0x1p-53));
        }
        return logprobs;
    }

    private static long add(long state, int id) {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            state = (state ^ ((id >>> shift) & 0xff)) * PRIME;
        }
        return state;
    }
}
