package dev.polar.sim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Turns a policy's answer into the ids that will be sampled. Thread-safe. */
final class Planner {
    private static final long SALT = 0x9e3779b97f4a7c15L;

    private final SimOptions options;
    private final SimTokenizer tokenizer = SimTokenizer.shared();
    private final AtomicLong draws = new AtomicLong();

    Planner(SimOptions options) {
        this.options = options;
    }

    /** What all choices of a request will say. A request's seed, or temperature 0, makes the draw a function of the prompt; without either each request draws anew. */
    Generation plan(String id, ChatRequest request, int[] prompt, Fault waiting) {
        long context = new TokenLogprobs(prompt).fingerprint();
        long seed = request.temperature() == 0
                ? context
                : request.seed().isPresent()
                        ? context ^ (request.seed().getAsLong() * SALT)
                        : options.seed() * SALT ^ context ^ Long.rotateLeft(draws.incrementAndGet() * SALT, 17);
        int limit = Math.min(request.maxTokens().orElse(Integer.MAX_VALUE), options.contextLength() - prompt.length);
        List<SampledLine> lines = new ArrayList<>();
        Fault fault = waiting;
        for (int index = 0; index < request.n(); index++) {
            SplittableRandom random = new SplittableRandom(seed + index * SALT);
            Policy.Decision decision = options.policy().decide(request.body(), random);
            fault = fault.kind() == Fault.Kind.NONE ? decision.fault() : fault;
            int[] answer = tokens(request, decision.answer(), random);
            lines.add(new SampledLine(tokenizer, request, prompt, limit, new Continuation(answer, random)::next));
        }
        return new Generation(id, request, prompt, lines, Instant.now(), fault);
    }

    private int[] tokens(ChatRequest request, Answer answer, SplittableRandom random) {
        int[] spoken = answer instanceof Answer.Tokens(int[] ids)
                ? ids
                : tokenizer.respell(
                        tokenizer.encode(Spoken.text(answer, request, random)), options.nonCanonical(), random);
        int[] ended = Arrays.copyOf(spoken, spoken.length + 1);
        ended[spoken.length] = tokenizer.endOfTurn();
        return ended;
    }

    /** The answer, then more plain text for a line that may not end with it. */
    private final class Continuation {
        private final int[] answer;
        private final SplittableRandom random;
        private boolean begun;

        private Continuation(int[] answer, SplittableRandom random) {
            this.answer = answer;
            this.random = random;
        }

        private int[] next() {
            if (!begun) {
                begun = true;
                return answer;
            }
            return tokens(" " + PlainText.draw(random));
        }

        private int[] tokens(String text) {
            int[] more = tokenizer.encode(text);
            int[] ended = Arrays.copyOf(more, more.length + 1);
            ended[more.length] = tokenizer.endOfTurn();
            return ended;
        }
    }
}
