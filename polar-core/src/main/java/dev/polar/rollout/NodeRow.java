package dev.polar.rollout;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.polar.spi.GatewayNodeInfo;
import dev.polar.spi.NodeStageMetrics;
import dev.polar.wire.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;

/**
 * A row of {@code nodes}.
 *
 * @param lastHeartbeat epoch seconds
 * @param stale true once its sessions were given to others because its heartbeats stopped
 */
record NodeRow(
        String nodeId,
        String gatewayUrl,
        int maxInitWorkers,
        int maxRunWorkers,
        int maxPostrunWorkers,
        double heartbeatIntervalSeconds,
        NodeStageMetrics metrics,
        boolean draining,
        boolean stale,
        double lastHeartbeat) {
    private static final double STALE_AFTER_INTERVALS = 2.5;

    /** Its heartbeats have not stopped. */
    boolean alive(double now) {
        return now - lastHeartbeat <= STALE_AFTER_INTERVALS * heartbeatIntervalSeconds;
    }

    GatewayNodeInfo info(int reservations, double now) {
        return new GatewayNodeInfo(
                nodeId,
                gatewayUrl,
                maxInitWorkers,
                maxRunWorkers,
                maxPostrunWorkers,
                metrics,
                reservations,
                alive(now),
                draining,
                heartbeatIntervalSeconds,
                Instant.ofEpochMilli(Math.round(lastHeartbeat * 1000)).toString());
    }

    static NodeRow read(ResultSet row) throws SQLException {
        return new NodeRow(
                row.getString("node_id"),
                row.getString("gateway_url"),
                row.getInt("max_init_workers"),
                row.getInt("max_run_workers"),
                row.getInt("max_postrun_workers"),
                row.getDouble("heartbeat_interval_seconds"),
                metrics(row.getString("metrics")),
                row.getBoolean("draining"),
                row.getBoolean("stale"),
                row.getDouble("last_heartbeat"));
    }

    static String stored(NodeStageMetrics metrics) {
        try {
            return Json.MAPPER.writeValueAsString(metrics);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static NodeStageMetrics metrics(String stored) {
        try {
            return Json.MAPPER.readValue(stored, NodeStageMetrics.class);
        } catch (JsonProcessingException fromElsewhere) {
            return NodeStageMetrics.IDLE;
        }
    }
}
