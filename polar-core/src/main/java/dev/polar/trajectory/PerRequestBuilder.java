package dev.polar.trajectory;

import dev.polar.capture.RecordedCompletion;
import dev.polar.spi.BuiltTrajectory;
import dev.polar.spi.SessionRecord;
import dev.polar.spi.TrajectoryBuilder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** {@code per_request}: one trace for each included completion. */
public final class PerRequestBuilder implements TrajectoryBuilder<PerRequestConfig> {
    public static final String NAME = "per_request";

    @Override
    public Set<String> names() {
        return Set.of(NAME);
    }

    @Override
    public Class<PerRequestConfig> configType() {
        return PerRequestConfig.class;
    }

    @Override
    public BuiltTrajectory build(SessionRecord record, PerRequestConfig config) {
        var sealed = Records.sealed(record, config.endOfTurnTokenId());
        var inclusion = Inclusion.decide(sealed, config.includeRoles(), config.includeUndelivered());
        var chains = inclusion.included().stream()
                .map(completion -> chain(completion, inclusion))
                .toList();
        return new BuiltTrajectory(
                Records.traces(chains),
                inclusion.exclusions(),
                inForce(config, record),
                ReconstructionStats.of(record, inclusion, chains));
    }

    private static Chain chain(RecordedCompletion completion, Inclusion inclusion) {
        var notes = new LinkedHashMap<String, Object>();
        notes.put("break", "first");
        if (inclusion.byContinuation(completion)) {
            notes.put("included_by", "continuation");
        }
        return new Chain(List.of(new Chain.Step(completion, null, 0, notes)), Map.of());
    }

    private static Map<String, Object> inForce(PerRequestConfig config, SessionRecord record) {
        var inForce = new LinkedHashMap<String, Object>();
        inForce.put("include_roles", config.includeRoles());
        inForce.put("include_undelivered", config.includeUndelivered());
        inForce.put(EndOfTurn.KEY, Records.endOfTurn(record));
        return inForce;
    }
}
