package dev.polar.continuation;

import java.util.List;

/**
 * An answer that is in the record, and what its agent gets of it.
 *
 * @param promptIds as the engine gave them, or null
 * @param sampledIds as the engine gave them, or null
 * @param text the empty text where there is none
 */
public record Answered(String completionId, int[] promptIds, int[] sampledIds, String text, List<Call> calls) {
    /**
     * A tool call.
     *
     * @param id as the agent has it; null where it has none
     * @param arguments the model's own text
     */
    public record Call(String id, String name, String arguments) {}
}
