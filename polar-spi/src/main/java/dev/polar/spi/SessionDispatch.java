package dev.polar.spi;

import java.util.Map;

/**
 * What the rollout server sends to a gateway for one sample (SessionDispatchRequest).
 *
 * @param sessionId new for each attempt
 * @param remainingTimeoutSeconds the session's budget, from entering INIT
 * @param sample index of the sample, from 0
 * @param attempt from 1
 * @param submittedAt when its task was submitted, in epoch seconds: tells apart the runs of a task whose id was submitted again; null where the rollout server does not say
 * @param runtime null means the node's default
 * @see TaskRequest for the other keys
 */
public record SessionDispatch(
        String sessionId,
        String taskId,
        String instruction,
        Integer dispatchPriority,
        Double remainingTimeoutSeconds,
        Integer sample,
        Integer attempt,
        Double submittedAt,
        RuntimeSpec runtime,
        AgentSpec agent,
        BuilderSpec builder,
        EvaluatorSpec evaluator,
        String callbackUrl,
        Map<String, Object> metadata) {
    public SessionDispatch {
        TaskRequest.checkId("session_id", sessionId);
        TaskRequest.checkId("task_id", taskId);
        Check.present("instruction", instruction);
        dispatchPriority = Check.orElse(Check.within("dispatch_priority", dispatchPriority, 0, 100), 0);
        remainingTimeoutSeconds =
                Check.orElse(Check.positive("remaining_timeout_seconds", remainingTimeoutSeconds), 600.0);
        sample = Check.orElse(sample, 0);
        attempt = Check.orElse(attempt, 1);
        Check.present("agent", agent);
        builder = Check.orElse(builder, BuilderSpec.PER_REQUEST);
        Check.httpUrl("callback_url", callbackUrl);
        metadata = TaskMetadata.checked(metadata);
    }
}
