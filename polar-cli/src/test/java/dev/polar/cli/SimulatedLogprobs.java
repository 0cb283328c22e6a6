package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Proves a trace from its ids alone: the simulator's log-probability of a token is a function of all ids up to it (FNV-1a, 64 bit, over four little-endian bytes each). */
final class SimulatedLogprobs {
    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private SimulatedLogprobs() {}

    /** Positions of the response that train although their log-probability is another token's or another context's. */
    static List<Integer> wrongPositions(JsonNode trace) {
        var state = OFFSET;
        for (var id : trace.path("prompt_ids")) {
            state = add(state, id.asInt());
        }
        var wrong = new ArrayList<Integer>();
        for (int i = 0; i < trace.path("response_ids").size(); i++) {
            state = add(state, trace.path("response_ids").get(i).asInt());
            var expected = -(0.0001 + 4.0 * ((state >>> 11) * 0x1p-53));
            if (trace.path("loss_mask").get(i).asInt() == 1
                    && trace.path("response_logprobs").get(i).asDouble() != expected) {
                wrong.add(i);
            }
        }
        return wrong;
    }

    private static long add(long state, int id) {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            state = (state ^ ((id >>> shift) & 0xff)) * PRIME;
        }
        return state;
    }
}
