package dev.polar.trajectory;

import dev.polar.spi.BuiltTrajectory;
import dev.polar.spi.SessionRecord;
import dev.polar.spi.Trajectory;
import dev.polar.spi.TrajectoryBuilder;

/** Makes the trajectory of a session's result. Stateless. */
public final class TrajectoryAssembler {
    private TrajectoryAssembler() {}

    /**
     * Builds, and holds the builder to the invariants.
     *
     * @throws BrokenInvariantException where its output breaks one
     */
    public static <C extends Record> BuiltTrajectory build(
            TrajectoryBuilder<C> builder, SessionRecord record, C config) {
        throw new UnsupportedOperationException();
    }

    /** The trajectory before rewards and filters: what an evaluator sees. */
    public static Trajectory unscored(SessionOutcome outcome) {
        throw new UnsupportedOperationException();
    }

    /**
     * The trajectory of the result: rewards merged, then filtered.
     *
     * @throws RewardException where the evaluation's per-trace rewards do not fit the traces
     */
    public static Trajectory assemble(SessionOutcome outcome) {
        throw new UnsupportedOperationException();
    }
}
