package dev.polar.rollout;

import dev.polar.spi.TaskRequest;
import dev.polar.spi.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A row of {@code tasks}. Times are epoch seconds.
 *
 * @param earlyStop usable sessions that suffice, or null
 * @param request the whole {@link TaskRequest}, as JSON
 * @param finishedAt null while it is not terminal
 */
record TaskRow(
        String taskId,
        TaskState state,
        String harness,
        String model,
        int numSamples,
        int priority,
        Integer earlyStop,
        double timeoutSeconds,
        String callbackUrl,
        String source,
        String request,
        double createdAt,
        double updatedAt,
        Double finishedAt) {
    static TaskRow read(ResultSet row) throws SQLException {
        return new TaskRow(
                row.getString("task_id"),
                TaskState.of(row.getString("state")),
                row.getString("harness"),
                row.getString("model"),
                row.getInt("num_samples"),
                row.getInt("priority"),
                row.getObject("early_stop", Integer.class),
                row.getDouble("timeout_seconds"),
                row.getString("callback_url"),
                row.getString("source"),
                row.getString("request"),
                row.getDouble("created_at"),
                row.getDouble("updated_at"),
                row.getObject("finished_at", Double.class));
    }
}
