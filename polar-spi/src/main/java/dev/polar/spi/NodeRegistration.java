package dev.polar.spi;

/**
 * What a gateway says of itself when it registers.
 *
 * @param nodeId unique among the rollout server's nodes
 * @param gatewayUrl where the rollout server reaches it
 * @param heartbeatIntervalSeconds default 30; stale after 2.5 of them
 */
public record NodeRegistration(
        String nodeId,
        String gatewayUrl,
        Integer maxInitWorkers,
        Integer maxRunWorkers,
        Integer maxPostrunWorkers,
        Double heartbeatIntervalSeconds) {
    public NodeRegistration {
        Check.text("node_id", nodeId);
        Check.httpUrl("gateway_url", Check.text("gateway_url", gatewayUrl));
        maxInitWorkers = Check.orElse(Check.within("max_init_workers", maxInitWorkers, 1, Integer.MAX_VALUE), 4);
        maxRunWorkers = Check.orElse(Check.within("max_run_workers", maxRunWorkers, 1, Integer.MAX_VALUE), 2);
        maxPostrunWorkers =
                Check.orElse(Check.within("max_postrun_workers", maxPostrunWorkers, 1, Integer.MAX_VALUE), 4);
        heartbeatIntervalSeconds =
                Check.orElse(Check.positive("heartbeat_interval_seconds", heartbeatIntervalSeconds), 30.0);
    }
}
