package dev.polar.continuation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A message in the tree of a session's histories. Guarded by its tree's lock; parent and depth never change. */
final class Node {
    private final Node parent;
    private final int depth;
    private Map<Digest, Node> next = Map.of();
    private List<Turn> answers = List.of();
    private Turn longest;

    Node(Node parent) {
        this.parent = parent;
        this.depth = parent == null ? 0 : parent.depth + 1;
    }

    /** Messages up to and with this one; 0 for the root. */
    int depth() {
        return depth;
    }

    /** Null where no history goes on so. */
    Node next(Digest message) {
        return next.get(message);
    }

    Node grow(Digest message) {
        if (next.isEmpty()) {
            next = HashMap.newHashMap(1);
        }
        return next.computeIfAbsent(message, _ -> new Node(this));
    }

    /** Turns of which this is the answer, the latest first. */
    List<Turn> answers() {
        return answers.reversed();
    }

    void add(Turn turn) {
        if (answers.isEmpty()) {
            answers = new ArrayList<>(1);
        }
        answers.add(turn);
        for (var node = this; node != null; node = node.parent) {
            if (node.longest == null || node.longest.messages() <= turn.messages()) {
                node.longest = turn;
            }
        }
    }

    /** Of the turns whose history or answer runs through here, the latest of those with the longest history; null where there is none. */
    Turn longest() {
        return longest;
    }

    /** True where this is {@code other} or stands behind it. */
    boolean isBehind(Node other) {
        var node = this;
        while (node.depth > other.depth) {
            node = node.parent;
        }
        return node == other;
    }
}
