package dev.polar.sim;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** The {@code logprobs.content} entries of one line, token by token. Not thread-safe. */
final class LogprobEntries {
    private final SimTokenizer tokenizer = SimTokenizer.shared();
    private final SimEngine engine;
    private final int alternatives;
    private final boolean namedById;
    private final TokenLogprobs scores;
    private final Characters characters = new Characters();

    /**
     * Entries of a line that follows {@code prompt}.
     *
     * @param alternatives how many candidates each entry lists
     * @param namedById whether a token is written as {@code token_id:N}
     */
    LogprobEntries(SimEngine engine, int[] prompt, int alternatives, boolean namedById) {
        this.engine = engine;
        this.alternatives = alternatives;
        this.namedById = namedById;
        this.scores = new TokenLogprobs(prompt);
    }

    /** The entries of all {@code ids}, the line's first ones. */
    ArrayNode all(int[] ids) {
        ArrayNode content = Json.array();
        for (int id : ids) {
            content.add(next(id));
        }
        return content;
    }

    /** The entry of the next token. */
    ObjectNode next(int id) {
        ArrayNode top = Json.array();
        candidates(id).forEach(candidate -> top.add(candidate(candidate)));
        String text = text(id);
        byte[] bytes = engine == SimEngine.SGLANG ? tokenizer.bytes(id) : text.getBytes(StandardCharsets.UTF_8);
        String name = namedById ? "token_id:" + id : text;
        double logprob = scores.append(id);
        ObjectNode entry = Json.object().put("token", name);
        switch (engine) {
            case VLLM -> entry.put("logprob", logprob).set("bytes", Json.bytes(bytes));
            case SGLANG -> entry.<ObjectNode>set("bytes", Json.bytes(bytes)).put("logprob", logprob);
        }
        return entry.set("top_logprobs", top);
    }

    /** vLLM shows the characters that a token completes; SGLang the token by itself. */
    private String text(int id) {
        if (engine == SimEngine.SGLANG || tokenizer.isSpecial(id)) {
            return new String(tokenizer.bytes(id), StandardCharsets.UTF_8);
        }
        return characters.append(tokenizer.bytes(id));
    }

    /** The sampled token and its neighbours in the vocabulary, the likeliest first. */
    private List<Integer> candidates(int id) {
        return IntStream.range(0, alternatives)
                .mapToObj(offset -> (id + offset) % tokenizer.size())
                .sorted(Comparator.comparingDouble(candidate -> -scores.peek(candidate)))
                .toList();
    }

    private ObjectNode candidate(int id) {
        String text = namedById ? "token_id:" + id : new String(tokenizer.bytes(id), StandardCharsets.UTF_8);
        return Json.object()
                .put("token", text)
                .put("logprob", scores.peek(id))
                .set("bytes", Json.bytes(text.getBytes(StandardCharsets.UTF_8)));
    }
}
