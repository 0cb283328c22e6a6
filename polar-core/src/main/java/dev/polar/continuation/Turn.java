package dev.polar.continuation;

import java.util.List;

/**
 * A request that was answered, as it is kept. Its ids stand in the record; of its rendering, only what the answer before it was rendered to, where that is not what was sampled.
 *
 * @param completionId in the record
 * @param asked its last message, in the tree
 * @param answered the answer that the agent got, behind that
 * @param callIds of the answer's calls, as the agent got them
 * @param key of what else its template saw
 * @param promptLength ids that the engine answered from
 * @param sampledLength ids that it sampled
 * @param judged true where all earlier turns had been tried when it was asked
 * @param joint where it goes on from an earlier turn; null where it was asked plainly: then the engine rendered just the prompt that it answered from
 */
record Turn(
        String completionId,
        Node asked,
        Node answered,
        List<String> callIds,
        Key key,
        int promptLength,
        int sampledLength,
        boolean judged,
        Joint joint) {
    /** All that the template sees beside messages. */
    record Key(Digest tools, Digest template) {}

    /**
     * Where a rendering and the ids that were used part, and meet again: the rendering is {@code from}'s up to {@code cut}, then {@code piece}, then what the prompt has behind {@code from}'s answer.
     *
     * @param from the turn that it goes on from
     * @param cut length of what it shares with that one's rendering
     * @param piece the answer as it is rendered, null where it is the rest of {@code from}'s rendering and the ids sampled
     * @param resume where the rendering goes on as the prompt does
     */
    record Joint(Turn from, int cut, int[] piece, int resume) {}

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    /** The turn that it goes on from, or null. */
    Turn from() {
        return joint == null ? null : joint.from;
    }

    /** Messages that its request had. */
    int messages() {
        return asked.depth();
    }
}
