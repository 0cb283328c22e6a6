package dev.polar.rollout;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Which node gets the next session: the one whose run slots are least pressed, then its postrun slots, then its init slots. */
final class NodeChoice {
    private NodeChoice() {}

    /**
     * A node that could take one.
     *
     * @param out sessions that it has or may have
     * @param reserved those of them that its last heartbeat did not count yet
     */
    record Candidate(NodeRow node, int out, int reserved) {
        /** Enough to fill each stage and to have one more waiting for each init slot. */
        boolean hasRoom() {
            return out < 2 * node.maxInitWorkers() + node.maxRunWorkers() + node.maxPostrunWorkers();
        }

        Candidate withOneMore() {
            return new Candidate(node, out + 1, reserved + 1);
        }

        private double run() {
            var metrics = node.metrics();
            return (double) (metrics.readyDepth() + metrics.runInflight() + reserved) / node.maxRunWorkers();
        }

        private double postrun() {
            var metrics = node.metrics();
            return (double) (metrics.postrunQueueDepth() + metrics.postrunInflight()) / node.maxPostrunWorkers();
        }

        private double init() {
            var metrics = node.metrics();
            return (double) (metrics.initQueueDepth() + metrics.initInflight() + reserved) / node.maxInitWorkers();
        }
    }

    /** Empty where none has room. */
    static Optional<Candidate> choose(List<Candidate> candidates) {
        return candidates.stream()
                .filter(Candidate::hasRoom)
                .min(Comparator.comparingDouble(Candidate::run)
                        .thenComparingDouble(Candidate::postrun)
                        .thenComparingDouble(Candidate::init)
                        .thenComparingInt(Candidate::out)
                        .thenComparing(candidate -> candidate.node().nodeId()));
    }
}
