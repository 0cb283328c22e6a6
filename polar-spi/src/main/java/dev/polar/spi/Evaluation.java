package dev.polar.spi;

import java.util.List;
import java.util.Map;

/**
 * A score.
 *
 * @param outcomeReward set on every trace; finite, or null for none
 * @param traceRewards one per trace, in the traces' order, or null
 * @param details the evaluator's own keys, {@code report} with {@code resolved} among them
 */
public record Evaluation(Double outcomeReward, List<Double> traceRewards, Map<String, Object> details) {
    public Evaluation {
        if (outcomeReward != null && !Double.isFinite(outcomeReward)) {
            throw new InvalidValueException("outcome_reward", outcomeReward + " must be finite");
        }
        traceRewards = traceRewards == null ? null : Check.list(traceRewards);
        details = Check.map(details);
    }
}
