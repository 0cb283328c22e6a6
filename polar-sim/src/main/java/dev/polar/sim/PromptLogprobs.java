package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/** vLLM's {@code prompt_logprobs}: one entry per prompt token, null for the first. */
final class PromptLogprobs {
    private PromptLogprobs() {}

    /** The entries where the request asks for them, else null. */
    static JsonNode of(Generation generation) {
        if (generation.request().number("prompt_logprobs").isEmpty()) {
            return JsonNodeFactory.instance.nullNode();
        }
        ArrayNode entries = Json.array();
        TokenLogprobs line = new TokenLogprobs(new int[0]);
        for (int id : generation.promptIds()) {
            if (entries.isEmpty()) {
                entries.addNull();
            } else {
                SimTokenizer tokenizer = SimTokenizer.shared();
                entries.addObject()
                        .putObject(Integer.toString(id))
                        .put("logprob", line.peek(id))
                        .put("rank", rank(line, id))
                        .put("decoded_token", tokenizer.decode(new int[] {id}));
            }
            line.append(id);
        }
        return entries;
    }

    /** 1 for the likeliest token of the vocabulary. */
    private static int rank(TokenLogprobs line, int id) {
        double own = line.peek(id);
        int rank = 1;
        for (int other = 0; other < SimTokenizer.shared().size(); other++) {
            rank += line.peek(other) > own ? 1 : 0;
        }
        return rank;
    }
}
