package dev.polar.inference;

/**
 * One generation, and what was in force.
 *
 * @param answer what the engine said
 * @param policyVersion the weights at its start, or null where nobody told
 * @param policyVersionEnd the weights at its end, or null
 * @param waitedNanos before it could start: a pause
 * @param engineNanos from the request to the end of its parse
 * @param limitDropped true where the engine refused prompt and limit together and was asked once more without the limit
 * @param ids what became of the ids that it was to start from
 */
public record Generation(
        EngineAnswer answer,
        String policyVersion,
        String policyVersionEnd,
        long waitedNanos,
        long engineNanos,
        boolean limitDropped,
        IdsUse ids) {}
