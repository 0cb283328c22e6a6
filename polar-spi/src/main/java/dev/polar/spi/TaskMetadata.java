package dev.polar.spi;

import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Reads the keys of a task's free-form {@code metadata} that have a meaning. */
public final class TaskMetadata {
    private TaskMetadata() {}

    /**
     * A copy of the map whose known keys were checked.
     *
     * @throws InvalidValueException where {@code agent_timeout} is no positive finite number or {@code eval_sampling_seed_base} no integer
     */
    public static Map<String, Object> checked(Map<String, Object> metadata) {
        var copy = Check.<String, Object>map(metadata);
        var timeout = copy.get("agent_timeout");
        if (timeout != null) {
            if (!(timeout instanceof Number number)) {
                throw new InvalidValueException(
                        "metadata.agent_timeout", timeout + " must be a positive finite number of seconds");
            }
            Check.positive("metadata.agent_timeout", number.doubleValue());
        }
        var base = copy.get("eval_sampling_seed_base");
        if (base != null && !(base instanceof Integer || base instanceof Long)) {
            throw new InvalidValueException("metadata.eval_sampling_seed_base", base + " must be an integer");
        }
        return copy;
    }

    /** The agent's own budget in seconds, counted from RUN. */
    public static OptionalDouble agentTimeoutSeconds(Map<String, Object> metadata) {
        return metadata.get("agent_timeout") instanceof Number number
                ? OptionalDouble.of(number.doubleValue())
                : OptionalDouble.empty();
    }

    /** Sample <i>i</i> gets this plus <i>i</i> as its sampling seed. */
    public static OptionalLong evalSamplingSeedBase(Map<String, Object> metadata) {
        return metadata.get("eval_sampling_seed_base") instanceof Number number
                ? OptionalLong.of(number.longValue())
                : OptionalLong.empty();
    }
}
