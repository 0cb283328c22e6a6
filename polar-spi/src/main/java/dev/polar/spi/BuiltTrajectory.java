package dev.polar.spi;

import java.util.List;
import java.util.Map;

/**
 * What a builder makes of a record.
 *
 * @param traces in order of their first completion, without rewards; handed over, not copied. A long session's do not fit into memory together: a list may make each when it is asked for
 * @param excluded every completion that stands in no trace
 * @param builderConfig what was in force
 * @param reconstructionStats counts
 */
public record BuiltTrajectory(
        List<Trace> traces,
        List<Exclusion> excluded,
        Map<String, Object> builderConfig,
        Map<String, Object> reconstructionStats) {
    public BuiltTrajectory {
        traces = Check.handedOver(traces);
        excluded = Check.list(excluded);
        builderConfig = Check.map(builderConfig);
        reconstructionStats = Check.map(reconstructionStats);
    }

    /**
     * A completion that was left out.
     *
     * @param reason {@code untrainable:<why>}, {@code empty}, {@code undelivered}, {@code role:<role>}, {@code superseded}
     */
    public record Exclusion(String completionId, String reason) {}
}
