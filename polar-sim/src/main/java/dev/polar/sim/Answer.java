package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** What the policy wants to say, before it is tokens. */
public sealed interface Answer {
    /**
     * An answer in its parts.
     *
     * @param reasoning thoughts before the text; empty for none
     * @param text may be empty
     * @param calls tool calls after the text, in order
     */
    record Message(String reasoning, String text, List<Call> calls) implements Answer {
        public Message {
            calls = List.copyOf(calls);
        }
    }

    /** The very text to sample, tags included: for answers that a parser must not understand. */
    record Raw(String text) implements Answer {}

    /** These ids, whatever they spell. */
    record Tokens(int[] ids) implements Answer {}

    /**
     * One tool call.
     *
     * @param arguments a JSON object
     */
    record Call(String name, JsonNode arguments) {}

    /** A plain text. */
    static Answer text(String text) {
        return new Message("", text, List.of());
    }
}
