package dev.polar.spi;

import java.util.Map;

/**
 * What a trainer submits.
 *
 * @param taskId 1 to 200 characters, no {@code /} and no control characters
 * @param instruction what the agent is asked to do
 * @param numSamples sessions to run, at least 1, default 1
 * @param dispatchPriority 0..100, higher enters INIT first; default 0
 * @param earlyStopMinUsableSessions 1..numSamples, or null
 * @param timeoutSeconds a session's budget from entering INIT; default 600
 * @param runtime null means the node's default
 * @param agent required
 * @param builder default {@code per_request}
 * @param evaluator null for none
 * @param callbackUrl where the result is posted, or null
 * @param metadata echoed; see {@link TaskMetadata}
 */
public record TaskRequest(
        String taskId,
        String instruction,
        Integer numSamples,
        Integer dispatchPriority,
        Integer earlyStopMinUsableSessions,
        Double timeoutSeconds,
        RuntimeSpec runtime,
        AgentSpec agent,
        BuilderSpec builder,
        EvaluatorSpec evaluator,
        String callbackUrl,
        Map<String, Object> metadata) {
    /** The longest task id, in characters. */
    public static final int MAX_ID_LENGTH = 200;

    public TaskRequest {
        checkId("task_id", taskId);
        Check.present("instruction", instruction);
        numSamples = Check.orElse(Check.within("num_samples", numSamples, 1, Integer.MAX_VALUE), 1);
        dispatchPriority = Check.orElse(Check.within("dispatch_priority", dispatchPriority, 0, 100), 0);
        Check.within("early_stop_min_usable_sessions", earlyStopMinUsableSessions, 1, numSamples);
        timeoutSeconds = Check.orElse(Check.positive("timeout_seconds", timeoutSeconds), 600.0);
        Check.present("agent", agent);
        builder = Check.orElse(builder, BuilderSpec.PER_REQUEST);
        Check.httpUrl("callback_url", callbackUrl);
        metadata = TaskMetadata.checked(metadata);
    }

    /** @throws InvalidValueException where {@code id} can be no task's or session's id */
    public static String checkId(String key, String id) {
        Check.text(key, id);
        // Half of a pair is no character: no file, address or header can hold it.
        if (id.codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE)) {
            throw new InvalidValueException(key, "must not hold half of a surrogate pair");
        }
        if (id.length() > MAX_ID_LENGTH || id.chars().anyMatch(c -> c == '/' || Character.isISOControl(c))) {
            throw new InvalidValueException(
                    key, "must have 1 to " + MAX_ID_LENGTH + " characters, without '/' and control characters");
        }
        return id;
    }
}
