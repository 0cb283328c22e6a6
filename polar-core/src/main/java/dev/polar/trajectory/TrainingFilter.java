package dev.polar.trajectory;

import dev.polar.spi.SessionStatus;
import dev.polar.spi.Trace;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What must not be learned from: decides for each rewarded trace whether it trains, and what becomes of its reward. Applied after the invariants were checked. */
final class TrainingFilter {
    /** The mark of a completion whose answer holds a tool call that does not parse. */
    static final String INVALID_TOOL_CALL = "invalid_tool_call";

    /** Why a trace was filtered. */
    private enum Reason {
        SESSION_ERROR,
        SESSION_TIMEOUT,
        AGENT_TIMEOUT,
        AGENT_TIMEOUT_UNALIGNED,
        PARSER_INVALID_TOOL_CALL;

        private String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private TrainingFilter() {}

    /** The trace as it may train, with {@code training_filter} in its metadata. */
    static Trace apply(Trace trace, SessionOutcome outcome) {
        var reason = reason(trace, outcome);
        if (reason == null) {
            return state(trace, false, true, null, null, trace.reward());
        }
        var unrewarded = trace.withReward(0.0);
        return switch (reason) {
            case SESSION_ERROR, SESSION_TIMEOUT, AGENT_TIMEOUT_UNALIGNED ->
                state(
                        unrewarded.withLossMask(new int[trace.lossMask().length]),
                        true,
                        false,
                        reason,
                        outcome.error(),
                        trace.reward());
            case AGENT_TIMEOUT -> state(unrewarded, false, true, reason, outcome.error(), trace.reward());
            case PARSER_INVALID_TOOL_CALL ->
                state(unrewarded, false, true, reason, "completion " + invalidCall(trace), trace.reward());
        };
    }

    private static Reason reason(Trace trace, SessionOutcome outcome) {
        if (outcome.status() == SessionStatus.TIMEOUT && outcome.agentTimeout()) {
            return aligned(trace) ? Reason.AGENT_TIMEOUT : Reason.AGENT_TIMEOUT_UNALIGNED;
        }
        if (outcome.status() == SessionStatus.TIMEOUT) {
            return Reason.SESSION_TIMEOUT;
        }
        if (outcome.status() == SessionStatus.ERROR) {
            return Reason.SESSION_ERROR;
        }
        boolean rewarded = trace.reward() != null && trace.reward() > 0;
        return rewarded && invalidCall(trace) != null ? Reason.PARSER_INVALID_TOOL_CALL : null;
    }

    private static boolean aligned(Trace trace) {
        return trace.responseLogprobs() != null && trace.responseLogprobs().length == trace.responseIds().length;
    }

    /** The first completion of the trace that is marked, or null. */
    private static String invalidCall(Trace trace) {
        if (trace.metadata().get("completion_metadata") instanceof List<?> completions) {
            for (var completion : completions) {
                if (completion instanceof Map<?, ?> metadata && Boolean.TRUE.equals(metadata.get(INVALID_TOOL_CALL))) {
                    return String.valueOf(metadata.get("completion_id"));
                }
            }
        }
        return null;
    }

    private static Trace state(
            Trace trace, boolean masked, boolean trainable, Reason reason, String detail, Double original) {
        var filter = new LinkedHashMap<String, Object>();
        filter.put("masked", masked);
        filter.put("trainable", trainable);
        filter.put("reason", reason == null ? null : reason.wire());
        filter.put("detail", detail);
        filter.put("original_reward", original);
        var metadata = new LinkedHashMap<>(trace.metadata());
        metadata.put("training_filter", filter);
        return trace.withMetadata(metadata);
    }
}
