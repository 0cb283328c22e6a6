package dev.polar.rollout;

import dev.polar.spi.SessionStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** SQL of {@code sessions}. Changes of place say from where, and report whether the row was there. Stateless. */
final class SessionStore {
    private static final String ROW = "select * from sessions ";
    private static final String OUT = "place in ('sending', 'placed')";

    /** Counts of samples. */
    record Progress(int finished, int usable) {}

    void insert(Handle handle, String sessionId, TaskRow task, int sample, int attempt, double now) {
        handle.createUpdate("""
                        insert into sessions (session_id, task_id, sample, attempt, place, status, priority, created_at, not_before, refusals, traces, completions, usable)
                        values (:session, :task, :sample, :attempt, 'pending', 'REGISTERED', :priority, :now, 0, 0, 0, 0, false)
                        """)
                .bind("session", sessionId)
                .bind("task", task.taskId())
                .bind("sample", sample)
                .bind("attempt", attempt)
                .bind("priority", task.priority())
                .bind("now", now)
                .execute();
    }

    Optional<SessionRow> find(Handle handle, String sessionId) {
        return handle.createQuery(ROW + "where session_id = :id")
                .bind("id", sessionId)
                .map((row, context) -> SessionRow.read(row))
                .findOne();
    }

    /** All attempts, by sample and attempt. */
    List<SessionRow> ofTask(Handle handle, String taskId) {
        return handle.createQuery(ROW + "where task_id = :id order by sample, attempt")
                .bind("id", taskId)
                .map((row, context) -> SessionRow.read(row))
                .list();
    }

    /** Those whose result counts, by sample. */
    List<SessionRow> finished(Handle handle, String taskId) {
        return handle.createQuery(ROW + "where task_id = :id and place = 'finished' order by sample")
                .bind("id", taskId)
                .map((row, context) -> SessionRow.read(row))
                .list();
    }

    /** How many samples have a result, and how many of those results are usable. */
    Progress progress(Handle handle, String taskId) {
        return handle.createQuery("""
                        select count(*) as finished, coalesce(sum(case when usable then 1 else 0 end), 0) as usable
                        from sessions where task_id = :id and place = 'finished'
                        """)
                .bind("id", taskId)
                .map((row, context) -> new Progress(row.getInt("finished"), row.getInt("usable")))
                .one();
    }

    /** Attempts that have no result and may still get one. */
    List<SessionRow> open(Handle handle, String taskId) {
        return handle.createQuery(
                        ROW + "where task_id = :id and place in ('pending', 'sending', 'placed') order by sample")
                .bind("id", taskId)
                .map((row, context) -> SessionRow.read(row))
                .list();
    }

    /** Withdrawn ones that a node may still run. */
    List<SessionRow> withdrawn(Handle handle, String taskId) {
        return handle.createQuery(ROW + "where task_id = :id and place = 'withdrawn' and node_id is not null")
                .bind("id", taskId)
                .map((row, context) -> SessionRow.read(row))
                .list();
    }

    /** What may be given to a node now, in the order in which it should be. */
    List<SessionRow> pending(Handle handle, double now, int limit) {
        return handle.createQuery(
                        ROW
                                + "where place = 'pending' and not_before <= :now order by priority desc, created_at, sample limit :limit")
                .bind("now", now)
                .bind("limit", limit)
                .map((row, context) -> SessionRow.read(row))
                .list();
    }

    int pendingCount(Handle handle) {
        return handle.createQuery("select count(*) from sessions where place = 'pending'")
                .mapTo(Integer.class)
                .one();
    }

    /** Those that a node has or may have. */
    List<SessionRow> out(Handle handle) {
        return handle.createQuery(ROW + "where " + OUT)
                .map((row, context) -> SessionRow.read(row))
                .list();
    }

    List<SessionRow> outAt(Handle handle, String nodeId) {
        return handle.createQuery(ROW + "where node_id = :node and " + OUT)
                .bind("node", nodeId)
                .map((row, context) -> SessionRow.read(row))
                .list();
    }

    /** Attempts that were taken from a node since then: it may still run them. */
    List<String> lostAt(Handle handle, String nodeId, double since) {
        return handle.createQuery(
                        "select session_id from sessions where node_id = :node and place = 'lost' and finished_at >= :since")
                .bind("node", nodeId)
                .bind("since", since)
                .mapTo(String.class)
                .list();
    }

    /** How many sessions each node has or may have. */
    Map<String, Integer> outByNode(Handle handle) {
        var counts = new LinkedHashMap<String, Integer>();
        handle.createQuery("select node_id, count(*) as sessions from sessions where " + OUT + " group by node_id")
                .map((row, context) -> Map.entry(row.getString("node_id"), row.getInt("sessions")))
                .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
        return counts;
    }

    /** How many were given to a node since then. */
    int sentSince(Handle handle, String nodeId, double since) {
        return handle.createQuery("select count(*) from sessions where node_id = :node and sent_at > :since and " + OUT)
                .bind("node", nodeId)
                .bind("since", since)
                .mapTo(Integer.class)
                .one();
    }

    List<SessionRow> overdue(Handle handle, double now) {
        return handle.createQuery(ROW + "where place = 'placed' and deadline < :now")
                .bind("now", now)
                .map((row, context) -> SessionRow.read(row))
                .list();
    }

    /** Pending to sending. */
    boolean offer(Handle handle, String sessionId, String nodeId, String owner, double now) {
        return handle.createUpdate("""
                        update sessions set place = 'sending', node_id = :node, lease_owner = :owner, sent_at = :now
                        where session_id = :id and place = 'pending'
                        """)
                        .bind("node", nodeId)
                        .bind("owner", owner)
                        .bind("now", now)
                        .bind("id", sessionId)
                        .execute()
                == 1;
    }

    /** Sending to placed. */
    boolean accept(Handle handle, String sessionId, double deadline) {
        return handle.createUpdate("""
                        update sessions set place = 'placed', deadline = :deadline, lease_until = :deadline
                        where session_id = :id and place = 'sending'
                        """)
                        .bind("deadline", deadline)
                        .bind("id", sessionId)
                        .execute()
                == 1;
    }

    /** Sending to pending, not before then. */
    boolean takeBack(Handle handle, String sessionId, double notBefore) {
        return handle.createUpdate("""
                        update sessions set place = 'pending', node_id = null, lease_owner = null, sent_at = null, not_before = :then, refusals = refusals + 1
                        where session_id = :id and place = 'sending'
                        """)
                        .bind("then", notBefore)
                        .bind("id", sessionId)
                        .execute()
                == 1;
    }

    void postpone(Handle handle, String sessionId, Double initAt, double deadline) {
        handle.createUpdate("""
                        update sessions set deadline = :deadline, lease_until = :deadline, init_at = coalesce(init_at, :init)
                        where session_id = :id and place = 'placed'
                        """)
                .bind("deadline", deadline)
                .bind("init", initAt)
                .bind("id", sessionId)
                .execute();
    }

    /** What a node says of a session that it has. */
    boolean progress(Handle handle, String sessionId, SessionStatus status) {
        return handle.createUpdate(
                                "update sessions set status = :status where session_id = :id and place = 'placed' and status <> :status")
                        .bind("status", status.name())
                        .bind("id", sessionId)
                        .execute()
                == 1;
    }

    /** Out to lost. */
    boolean lose(Handle handle, String sessionId, String why, double now) {
        return handle.createUpdate(
                                "update sessions set place = 'lost', error = :why, finished_at = :now where session_id = :id and "
                                        + OUT)
                        .bind("why", why)
                        .bind("now", now)
                        .bind("id", sessionId)
                        .execute()
                == 1;
    }

    void withdraw(Handle handle, String sessionId, double now) {
        handle.createUpdate("update sessions set place = 'withdrawn', finished_at = :now where session_id = :id")
                .bind("now", now)
                .bind("id", sessionId)
                .execute();
    }

    void finish(Handle handle, String sessionId, ResultSummary result, KeptResult kept, double now) {
        handle.createUpdate("""
                        update sessions set place = 'finished', status = :status, finished_at = :now, reward = :reward, traces = :traces,
                            completions = :completions, usable = :usable, error = :error, result_path = :path, result_inline = :inline
                        where session_id = :id
                        """)
                .bind("status", result.status().name())
                .bind("now", now)
                .bind("reward", result.reward())
                .bind("traces", result.traces())
                .bind("completions", result.completions())
                .bind("usable", result.usable())
                .bind("error", result.error())
                .bind("path", kept.path())
                .bind("inline", kept.inline())
                .bind("id", sessionId)
                .execute();
    }
}
