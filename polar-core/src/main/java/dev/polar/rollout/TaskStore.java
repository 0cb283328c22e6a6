package dev.polar.rollout;

import dev.polar.spi.TaskState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** SQL of {@code tasks} and {@code tombstones}. Stateless. */
final class TaskStore {
    private static final String ROW = "select * from tasks ";

    /** A task as a list shows it. Means are null where there is nothing to take one of. */
    record Listed(
            TaskRow task, int finished, int errored, Double meanReward, Double meanTraces, Double meanCompletions) {}

    /**
     * What to list.
     *
     * @param status null for any
     * @param harness null for any
     * @param since created at or after, epoch seconds; null for any
     */
    record Filter(TaskState status, String harness, Double since, int limit) {}

    void insert(Handle handle, TaskRow task) {
        handle.createUpdate("""
                        insert into tasks (task_id, state, harness, model, num_samples, priority, early_stop, timeout_seconds,
                            callback_url, source, request, created_at, updated_at, finished_at)
                        values (:taskId, :state, :harness, :model, :numSamples, :priority, :earlyStop, :timeoutSeconds,
                            :callbackUrl, :source, :request, :createdAt, :updatedAt, null)
                        """)
                .bind("taskId", task.taskId())
                .bind("state", task.state().wire())
                .bind("harness", task.harness())
                .bind("model", task.model())
                .bind("numSamples", task.numSamples())
                .bind("priority", task.priority())
                .bind("earlyStop", task.earlyStop())
                .bind("timeoutSeconds", task.timeoutSeconds())
                .bind("callbackUrl", task.callbackUrl())
                .bind("source", task.source())
                .bind("request", task.request())
                .bind("createdAt", task.createdAt())
                .bind("updatedAt", task.updatedAt())
                .execute();
    }

    Optional<TaskRow> find(Handle handle, String taskId) {
        return one(handle, ROW + "where task_id = :id", taskId);
    }

    /** The same; nobody else changes the task or its sessions until the transaction ends. */
    Optional<TaskRow> lock(Handle handle, String taskId) {
        return one(handle, ROW + "where task_id = :id for update", taskId);
    }

    private static Optional<TaskRow> one(Handle handle, String sql, String taskId) {
        return handle.createQuery(sql)
                .bind("id", taskId)
                .map((row, context) -> TaskRow.read(row))
                .findOne();
    }

    List<TaskRow> inState(Handle handle, TaskState state) {
        return handle.createQuery(ROW + "where state = :state order by created_at, task_id")
                .bind("state", state.wire())
                .map((row, context) -> TaskRow.read(row))
                .list();
    }

    void touch(Handle handle, String taskId, double now) {
        handle.createUpdate("update tasks set updated_at = :now where task_id = :id")
                .bind("now", now)
                .bind("id", taskId)
                .execute();
    }

    void change(Handle handle, String taskId, TaskState state, double now) {
        handle.createUpdate(
                        "update tasks set state = :state, updated_at = :now, finished_at = :finished where task_id = :id")
                .bind("state", state.wire())
                .bind("now", now)
                .bind("finished", state.terminal() ? (Double) now : null)
                .bind("id", taskId)
                .execute();
    }

    void delete(Handle handle, String taskId) {
        handle.createUpdate("delete from tasks where task_id = :id")
                .bind("id", taskId)
                .execute();
    }

    /** Terminal ones that ended before {@code before}. */
    List<String> finishedBefore(Handle handle, double before) {
        return handle.createQuery("select task_id from tasks where finished_at < :before")
                .bind("before", before)
                .mapTo(String.class)
                .list();
    }

    Map<String, TaskState> states(Handle handle) {
        var states = new LinkedHashMap<String, TaskState>();
        handle.createQuery("select task_id, state from tasks order by created_at, task_id")
                .map((row, context) -> Map.entry(row.getString("task_id"), TaskState.of(row.getString("state"))))
                .forEach(entry -> states.put(entry.getKey(), entry.getValue()));
        return states;
    }

    /** Newest first. */
    List<Listed> list(Handle handle, Filter filter) {
        var conditions = new ArrayList<String>();
        conditions.add("1 = 1");
        if (filter.status() != null) {
            conditions.add("t.state = :state");
        }
        if (filter.harness() != null) {
            conditions.add("t.harness = :harness");
        }
        if (filter.since() != null) {
            conditions.add("t.created_at >= :since");
        }
        var query = handle.createQuery("""
                        select t.*,
                            (select count(*) from sessions s where s.task_id = t.task_id and s.place = 'finished') as finished,
                            (select count(*) from sessions s where s.task_id = t.task_id and s.place = 'finished' and s.status <> 'COMPLETED') as errored,
                            (select avg(s.reward) from sessions s where s.task_id = t.task_id and s.place = 'finished') as mean_reward,
                            (select avg(cast(s.traces as double precision)) from sessions s where s.task_id = t.task_id and s.place = 'finished') as mean_traces,
                            (select avg(cast(s.completions as double precision)) from sessions s where s.task_id = t.task_id and s.place = 'finished') as mean_completions
                        from tasks t where %s order by t.created_at desc, t.task_id limit :limit
                        """.formatted(String.join(" and ", conditions)))
                .bind("limit", filter.limit());
        if (filter.status() != null) {
            query.bind("state", filter.status().wire());
        }
        if (filter.harness() != null) {
            query.bind("harness", filter.harness());
        }
        if (filter.since() != null) {
            query.bind("since", filter.since());
        }
        return query.map((row, context) -> new Listed(
                        TaskRow.read(row),
                        row.getInt("finished"),
                        row.getInt("errored"),
                        row.getObject("mean_reward", Double.class),
                        row.getObject("mean_traces", Double.class),
                        row.getObject("mean_completions", Double.class)))
                .list();
    }

    /** A submit of this id is refused until then. */
    void bury(Handle handle, String taskId, double until) {
        handle.createUpdate("delete from tombstones where task_id = :id")
                .bind("id", taskId)
                .execute();
        handle.createUpdate("insert into tombstones (task_id, until) values (:id, :until)")
                .bind("id", taskId)
                .bind("until", until)
                .execute();
    }

    boolean buried(Handle handle, String taskId, double now) {
        return handle.createQuery("select count(*) from tombstones where task_id = :id and until > :now")
                        .bind("id", taskId)
                        .bind("now", now)
                        .mapTo(Integer.class)
                        .one()
                > 0;
    }

    void forgetTombstones(Handle handle, double now) {
        handle.createUpdate("delete from tombstones where until <= :now")
                .bind("now", now)
                .execute();
    }
}
