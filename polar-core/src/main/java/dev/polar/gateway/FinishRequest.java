package dev.polar.gateway;

import dev.polar.spi.BuilderSpec;
import dev.polar.spi.Check;
import dev.polar.spi.EvaluatorSpec;
import dev.polar.spi.TaskMetadata;
import java.util.Map;

/**
 * How a bare session is built and scored.
 *
 * @param builder default {@code per_request}
 * @param evaluator null for none
 * @param metadata as a task's
 */
record FinishRequest(BuilderSpec builder, EvaluatorSpec evaluator, Map<String, Object> metadata) {
    FinishRequest {
        builder = Check.orElse(builder, BuilderSpec.PER_REQUEST);
        metadata = TaskMetadata.checked(metadata);
    }
}
