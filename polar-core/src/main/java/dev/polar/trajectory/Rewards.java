package dev.polar.trajectory;

import dev.polar.spi.Evaluation;
import dev.polar.spi.Trace;
import java.util.List;

/** Sets an evaluation's rewards on the traces. */
final class Rewards {
    private Rewards() {}

    /**
     * Each trace with its own reward where the evaluation has one for each, else with the outcome. Where a trace's own is null it gets the outcome.
     *
     * @param evaluation null leaves the traces without rewards
     * @throws RewardException where the number of rewards is not that of the traces, or one is not finite
     */
    static List<Trace> set(List<Trace> traces, Evaluation evaluation) {
        if (evaluation == null) {
            return traces;
        }
        var own = evaluation.traceRewards();
        if (own != null && own.size() != traces.size()) {
            throw new RewardException("the evaluator gave " + own.size() + " trace rewards for " + traces.size()
                    + " traces: one for each is needed");
        }
        for (int i = 0; i < traces.size(); i++) {
            var reward = reward(evaluation, i);
            if (reward != null && !Double.isFinite(reward)) {
                throw new RewardException(
                        "the evaluator gave trace " + i + " the reward " + reward + ": a finite number is needed");
            }
        }
        return LazyList.of(traces.size(), i -> traces.get(i).withReward(reward(evaluation, i)));
    }

    private static Double reward(Evaluation evaluation, int trace) {
        var own = evaluation.traceRewards();
        return own == null || own.get(trace) == null ? evaluation.outcomeReward() : own.get(trace);
    }
}
