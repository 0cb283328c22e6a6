package dev.polar.rollout;

import dev.polar.spi.NodeRegistration;
import dev.polar.spi.NodeStageMetrics;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** SQL of {@code nodes}. Stateless. */
final class NodeStore {
    private static final String ROW = "select * from nodes ";

    /** Adds it, or replaces what was known of it; a drained one takes sessions again. */
    void register(Handle handle, NodeRegistration node, double now) {
        handle.createUpdate("delete from nodes where node_id = :id")
                .bind("id", node.nodeId())
                .execute();
        handle.createUpdate("""
                        insert into nodes (node_id, gateway_url, max_init_workers, max_run_workers, max_postrun_workers,
                            heartbeat_interval_seconds, metrics, draining, stale, last_heartbeat)
                        values (:id, :url, :init, :run, :postrun, :interval, :metrics, false, false, :now)
                        """)
                .bind("id", node.nodeId())
                .bind("url", node.gatewayUrl())
                .bind("init", node.maxInitWorkers())
                .bind("run", node.maxRunWorkers())
                .bind("postrun", node.maxPostrunWorkers())
                .bind("interval", node.heartbeatIntervalSeconds())
                .bind("metrics", NodeRow.stored(NodeStageMetrics.IDLE))
                .bind("now", now)
                .execute();
    }

    Optional<NodeRow> find(Handle handle, String nodeId) {
        return handle.createQuery(ROW + "where node_id = :id")
                .bind("id", nodeId)
                .map((row, context) -> NodeRow.read(row))
                .findOne();
    }

    List<NodeRow> all(Handle handle) {
        return handle.createQuery(ROW + "order by node_id")
                .map((row, context) -> NodeRow.read(row))
                .list();
    }

    void heartbeat(Handle handle, String nodeId, NodeStageMetrics metrics, double now) {
        handle.createUpdate(
                        "update nodes set metrics = :metrics, stale = false, last_heartbeat = :now where node_id = :id")
                .bind("metrics", NodeRow.stored(metrics))
                .bind("now", now)
                .bind("id", nodeId)
                .execute();
    }

    void drain(Handle handle, String nodeId) {
        handle.createUpdate("update nodes set draining = true where node_id = :id")
                .bind("id", nodeId)
                .execute();
    }

    /** True for the one caller that changed it. */
    boolean markStale(Handle handle, String nodeId) {
        return handle.createUpdate("update nodes set stale = true where node_id = :id and stale = false")
                        .bind("id", nodeId)
                        .execute()
                == 1;
    }

    /** Nobody could send heartbeats while this server was down: those that were alive get their time again. */
    void forgiveSilence(Handle handle, double now) {
        handle.createUpdate("update nodes set last_heartbeat = :now where stale = false")
                .bind("now", now)
                .execute();
    }
}
