package dev.polar.result;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What a result says of its session beside the traces.
 *
 * @param sessionId the attempt's
 * @param taskId its task's
 * @param status {@code COMPLETED}, {@code ERROR} or {@code TIMEOUT}
 * @param metadata the trajectory's; an empty object where it has none
 */
public record SessionHead(String sessionId, String taskId, String status, JsonNode metadata) {
    /** Tails and breaks of the session that are not exact, as its builder counted them. */
    public int inexactTails() {
        var stats = metadata.path("reconstruction_stats");
        var breaks = stats.path("breaks");
        return stats.path("tails_retokenized").asInt()
                + stats.path("tails_rewritten").asInt()
                + breaks.path("retokenized").asInt()
                + breaks.path("rewritten").asInt();
    }
}
