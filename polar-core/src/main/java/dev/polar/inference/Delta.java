package dev.polar.inference;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A piece of an answer that is still being sampled. Tool calls come one after the other: what belongs to one comes before the next begins. */
public sealed interface Delta {
    /**
     * Comes once, before all others.
     *
     * @param head the answer's {@code id}, {@code created}, {@code model} and the like, as far as they are known; not changed afterwards
     * @param promptTokens 0 where the engine has not said
     */
    record Begin(ObjectNode head, int promptTokens) implements Delta {}

    /** More of what it thinks; never empty. */
    record Reasoning(String text) implements Delta {}

    /** More of its text; never empty. */
    record Text(String text) implements Delta {}

    /** The log-probabilities of the tokens of what comes next, as the engine shows them; only where they were asked for. */
    record Logprobs(ArrayNode entries) implements Delta {}

    /**
     * A tool call begins.
     *
     * @param number of the call, from 0
     * @param id the engine's, or one that was made where it gave none
     * @param name empty where the model wrote none
     */
    record Call(int number, String id, String name) implements Delta {}

    /** More of a call's arguments; never empty. */
    record Arguments(int number, String text) implements Delta {}
}
