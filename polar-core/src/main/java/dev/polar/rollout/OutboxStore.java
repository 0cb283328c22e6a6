package dev.polar.rollout;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** SQL of {@code outbox}. Stateless. */
final class OutboxStore {
    /**
     * A callback that is owed.
     *
     * @param tries all that were made
     * @param refusals those answered with a status that is no reason to wait
     * @param giveUpAt epoch seconds
     */
    record Owed(String taskId, String url, int tries, int refusals, double nextAt, double giveUpAt) {
        private static Owed read(ResultSet row) throws SQLException {
            return new Owed(
                    row.getString("task_id"),
                    row.getString("url"),
                    row.getInt("tries"),
                    row.getInt("refusals"),
                    row.getDouble("next_at"),
                    row.getDouble("give_up_at"));
        }
    }

    void add(Handle handle, String taskId, String url, double now, double giveUpAt) {
        handle.createUpdate("""
                        insert into outbox (task_id, url, place, tries, refusals, next_at, give_up_at)
                        values (:id, :url, 'due', 0, 0, :now, :end)
                        """)
                .bind("id", taskId)
                .bind("url", url)
                .bind("now", now)
                .bind("end", giveUpAt)
                .execute();
    }

    List<Owed> due(Handle handle, double now, int limit) {
        return handle.createQuery(
                        "select * from outbox where place = 'due' and next_at <= :now order by next_at limit :limit")
                .bind("now", now)
                .bind("limit", limit)
                .map((row, context) -> Owed.read(row))
                .list();
    }

    /** When the next one is due, epoch seconds. */
    Optional<Double> nextAt(Handle handle) {
        return handle.createQuery("select min(next_at) as next_at from outbox where place = 'due'")
                .map((row, context) -> Optional.ofNullable(row.getObject("next_at", Double.class)))
                .one();
    }

    /** Hides it from others until then. */
    boolean claim(Handle handle, Owed owed, String owner, double until) {
        return handle.createUpdate("""
                        update outbox set next_at = :until, lease_owner = :owner, lease_until = :until, tries = tries + 1
                        where task_id = :id and place = 'due' and tries = :tries
                        """)
                        .bind("until", until)
                        .bind("owner", owner)
                        .bind("id", owed.taskId())
                        .bind("tries", owed.tries())
                        .execute()
                == 1;
    }

    /** Gives up what this owner had claimed before it was restarted. */
    void release(Handle handle, String owner, double now) {
        handle.createUpdate(
                        "update outbox set next_at = :now, lease_owner = null, lease_until = null where place = 'due' and lease_owner = :owner")
                .bind("now", now)
                .bind("owner", owner)
                .execute();
    }

    void retry(Handle handle, String taskId, int refusals, String error, double nextAt) {
        handle.createUpdate("""
                        update outbox set next_at = :next, refusals = :refusals, last_error = :error, lease_owner = null, lease_until = null
                        where task_id = :id and place = 'due'
                        """)
                .bind("next", nextAt)
                .bind("refusals", refusals)
                .bind("error", error)
                .bind("id", taskId)
                .execute();
    }

    void end(Handle handle, String taskId, boolean delivered, String error) {
        handle.createUpdate("update outbox set place = :place, last_error = :error where task_id = :id")
                .bind("place", delivered ? "done" : "given_up")
                .bind("error", error)
                .bind("id", taskId)
                .execute();
    }
}
