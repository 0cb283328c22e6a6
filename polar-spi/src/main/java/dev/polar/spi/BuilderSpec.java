package dev.polar.spi;

import java.util.Map;

/**
 * How the record becomes traces.
 *
 * @param strategy name of a {@link TrajectoryBuilder}; default {@code per_request}
 * @param config the builder's own; bound to {@link TrajectoryBuilder#configType()} when the session starts
 */
public record BuilderSpec(String strategy, Map<String, Object> config) {
    public static final BuilderSpec PER_REQUEST = new BuilderSpec(null, null);

    public BuilderSpec {
        strategy = Check.text("strategy", Check.orElse(strategy, "per_request"));
        config = Check.map(config);
    }
}
