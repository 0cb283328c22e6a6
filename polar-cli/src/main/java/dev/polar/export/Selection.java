package dev.polar.export;

import dev.polar.result.SessionTrace;
import java.util.Optional;
import java.util.Set;

/**
 * Which traces are wanted.
 *
 * @param minReward null for any; with either bound a trace needs a reward
 * @param maxReward null for any
 * @param statuses of the session, in capitals; empty for any
 * @param roles of the trace; empty for any
 * @param trainable true to want only traces with a mask of 1 somewhere
 */
public record Selection(
        Double minReward, Double maxReward, Set<String> statuses, Set<String> roles, boolean trainable) {
    /** Everything. */
    public static final Selection ALL = new Selection(null, null, Set.of(), Set.of(), false);

    /** Why a trace is not wanted, in one word; empty where it is. */
    Optional<String> leavesOut(SessionTrace of) {
        var reward = of.trace().reward();
        if (!statuses.isEmpty() && !statuses.contains(of.session().status())) {
            return Optional.of("status");
        }
        if (!roles.isEmpty() && !roles.contains(of.role())) {
            return Optional.of("role");
        }
        if (reward == null && (minReward != null || maxReward != null)) {
            return Optional.of("no_reward");
        }
        if (minReward != null && reward < minReward || maxReward != null && reward > maxReward) {
            return Optional.of("reward");
        }
        if (trainable && of.trainedTokens() == 0) {
            return Optional.of("not_trainable");
        }
        return Optional.empty();
    }
}
