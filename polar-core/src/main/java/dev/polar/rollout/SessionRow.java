package dev.polar.rollout;

import dev.polar.spi.SessionStatus;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A row of {@code sessions}: one attempt of one sample. Times are epoch seconds.
 *
 * @param nodeId the node that has it or had it, or null
 * @param sentAt when it was offered to the node, or null
 * @param initAt when it entered INIT, where that is known
 * @param deadline when to ask what became of it, or null
 * @param refusals how often no node would take it
 * @param resultPath the result's file, or null
 * @param resultInline the result itself where it stands in no file
 */
record SessionRow(
        String sessionId,
        String taskId,
        int sample,
        int attempt,
        Place place,
        SessionStatus status,
        int priority,
        String nodeId,
        double createdAt,
        Double sentAt,
        Double initAt,
        Double deadline,
        int refusals,
        Double finishedAt,
        Double reward,
        int traces,
        int completions,
        boolean usable,
        String error,
        String resultPath,
        String resultInline) {
    static SessionRow read(ResultSet row) throws SQLException {
        return new SessionRow(
                row.getString("session_id"),
                row.getString("task_id"),
                row.getInt("sample"),
                row.getInt("attempt"),
                Place.of(row.getString("place")),
                SessionStatus.valueOf(row.getString("status")),
                row.getInt("priority"),
                row.getString("node_id"),
                row.getDouble("created_at"),
                row.getObject("sent_at", Double.class),
                row.getObject("init_at", Double.class),
                row.getObject("deadline", Double.class),
                row.getInt("refusals"),
                row.getObject("finished_at", Double.class),
                row.getObject("reward", Double.class),
                row.getInt("traces"),
                row.getInt("completions"),
                row.getBoolean("usable"),
                row.getString("error"),
                row.getString("result_path"),
                row.getString("result_inline"));
    }
}
