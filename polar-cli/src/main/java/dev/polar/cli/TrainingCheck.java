package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Whether a trace may train, as its session ended, and what its {@code training_filter} makes of its reward. */
final class TrainingCheck {
    private TrainingCheck() {}

    /** True where the sampled ids of a trace must have mask 1. */
    static boolean trains(JsonNode trace, String status) {
        var filter = trace.at("/metadata/training_filter");
        return (status.equals("COMPLETED") || filter.path("trainable").asBoolean(false))
                && !filter.path("masked").asBoolean(false);
    }

    /** @param status of the session */
    static List<String> problems(String where, JsonNode trace, String status) {
        var filter = trace.at("/metadata/training_filter");
        var reason = filter.path("reason").asText(null);
        boolean masked = filter.path("masked").asBoolean();
        boolean trainable = filter.path("trainable").asBoolean();
        var problems = new ArrayList<String>();
        if (masked == trainable) {
            problems.add(where + ": training_filter says masked " + masked + " and trainable " + trainable);
        }
        if (!reasons(status, masked).contains(String.valueOf(reason))) {
            problems.add(where + ": training_filter of a session that ended as " + status + " has the reason " + reason
                    + (masked ? ", masked" : ", not masked"));
        }
        var reward = trace.path("reward");
        if (!reward.isNull() && !reward.isMissingNode() && !reward.isNumber()) {
            problems.add(where + ": the reward " + reward + " is no finite number");
        }
        if (reason != null && reward.asDouble() != 0) {
            problems.add(where + ": it is filtered for " + reason + " and keeps the reward " + reward);
        }
        return problems;
    }

    /** Those that can be in force; {@code null} is none. */
    private static List<String> reasons(String status, boolean masked) {
        return switch (status) {
            case "COMPLETED" -> masked ? List.of() : List.of("null", "parser_invalid_tool_call");
            case "ERROR" -> masked ? List.of("session_error") : List.of();
            case "TIMEOUT" -> masked ? List.of("session_timeout", "agent_timeout_unaligned") : List.of("agent_timeout");
            default -> List.of();
        };
    }
}
