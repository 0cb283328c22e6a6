package dev.polar.capture;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;

/**
 * A distinct prompt of a sealed record: ids, and pictures at their places. The prompts form a tree of their own, below the empty one, in which a prompt's ancestors are its proper prefixes.
 * Immutable once its record is made.
 */
public final class Prompt {
    private final Prompt parent;
    private final TokenTree.Node node;
    private final List<RecordedCompletion> completions = new ArrayList<>(1);
    private final int endOfTurn;
    private List<RecordedCompletion> retokenized = List.of();
    private final BitSet agentsBelow = new BitSet();

    Prompt(Prompt parent, TokenTree.Node node, int endOfTurn) {
        this.parent = parent;
        this.node = node;
        this.endOfTurn = endOfTurn;
    }

    /** True for the empty prompt, which no completion has. */
    public boolean isRoot() {
        return parent == null;
    }

    /** The longest prompt of the record that is a proper prefix of this one; of the root, itself. */
    public Prompt parent() {
        return parent == null ? this : parent;
    }

    /** Number of ids. */
    public int length() {
        return node.depth();
    }

    /** The answers to this prompt, in order of their sequence. */
    public List<RecordedCompletion> completions() {
        return Collections.unmodifiableList(completions);
    }

    /** The first position of the end-of-turn id at or after the parent's length, or -1. */
    int endOfTurn() {
        return endOfTurn;
    }

    /** The completions whose answer's part of this prompt ends at {@link #endOfTurn}, and is the same text in other ids. */
    List<RecordedCompletion> retokenized() {
        return retokenized;
    }

    void retokenized(List<RecordedCompletion> completions) {
        retokenized = List.copyOf(completions);
    }

    void add(RecordedCompletion completion) {
        completions.add(completion);
    }

    TokenTree.Node node() {
        return node;
    }

    /** Agents, by number, that have an answer to this prompt or to one below it. */
    BitSet agentsBelow() {
        return agentsBelow;
    }
}
