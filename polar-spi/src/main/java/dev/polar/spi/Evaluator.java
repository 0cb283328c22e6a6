package dev.polar.spi;

import java.util.Optional;
import java.util.Set;
import org.pf4j.ExtensionPoint;

/**
 * Scores a session. It runs after a failed or timed-out agent too, while budget remains.
 *
 * @param <C> the record that {@code evaluator.config} is bound to; its components are null where the task says nothing
 */
public interface Evaluator<C extends Record> extends ExtensionPoint {
    /** The values of {@code evaluator.strategy} that this evaluator claims. */
    Set<String> names();

    /** The record of {@code evaluator.config}. */
    Class<C> configType();

    /**
     * Called at INIT's end, after the runtime was prepared and before the agent runs: what is there now was not the agent's doing.
     *
     * @return handed to {@link #evaluate} as it is
     */
    default Optional<Object> baseline(EvaluationContext<C> context) throws InterruptedException {
        return Optional.empty();
    }

    /**
     * The score.
     *
     * @param trajectory as built, without rewards
     * @param baseline what {@link #baseline} returned
     */
    Evaluation evaluate(EvaluationContext<C> context, Trajectory trajectory, Optional<Object> baseline)
            throws InterruptedException;
}
