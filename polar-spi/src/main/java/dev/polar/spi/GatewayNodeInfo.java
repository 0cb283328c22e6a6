package dev.polar.spi;

/**
 * A gateway as the rollout server knows it.
 *
 * @param dispatchReservations sessions given to it that its last heartbeat did not count yet
 * @param healthy false where its heartbeats stopped
 * @param draining true where it gets no new sessions
 * @param lastHeartbeat ISO 8601, UTC
 */
public record GatewayNodeInfo(
        String nodeId,
        String gatewayUrl,
        int maxInitWorkers,
        int maxRunWorkers,
        int maxPostrunWorkers,
        NodeStageMetrics metrics,
        int dispatchReservations,
        boolean healthy,
        boolean draining,
        double heartbeatIntervalSeconds,
        String lastHeartbeat) {}
