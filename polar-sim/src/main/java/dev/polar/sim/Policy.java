package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.random.RandomGenerator;

/** Where the model would be: says what a request is answered with. Implementations are thread-safe and draw from nothing but {@code random}. */
@FunctionalInterface
public interface Policy {
    /**
     * Answers one choice of one request.
     *
     * @param request the request's body, with {@code messages} and perhaps {@code tools}
     */
    Decision decide(JsonNode request, RandomGenerator random);

    /**
     * What to answer, and what goes wrong on the way.
     *
     * @param fault {@link Fault#NONE} where nothing does
     */
    record Decision(Answer answer, Fault fault) {
        public Decision(Answer answer) {
            this(answer, Fault.NONE);
        }
    }

    /** Short plain text, the default. */
    static Policy plainText() {
        return (request, random) -> new Decision(Answer.text(PlainText.draw(random)));
    }

    /** Random tokens, 4 to 60 of them, which are no text in general. */
    static Policy randomTokens() {
        SimTokenizer tokenizer = SimTokenizer.shared();
        return (request, random) ->
                new Decision(new Answer.Tokens(random.ints(random.nextInt(4, 61), 0, tokenizer.size())
                        .filter(id -> !tokenizer.isSpecial(id))
                        .toArray()));
    }
}
