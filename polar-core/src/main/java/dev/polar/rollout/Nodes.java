package dev.polar.rollout;

import dev.polar.spi.GatewayNodeInfo;
import dev.polar.spi.NodeRegistration;
import dev.polar.spi.NodeStageMetrics;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The gateways that have registered. Thread-safe. */
final class Nodes {
    private static final Logger LOG = LoggerFactory.getLogger(Nodes.class);

    private final Database database;
    private final Stores stores;
    private final NodeWatch watch;
    private final Withdrawals withdrawals;
    private final Wakeups dispatcher;
    private final DoubleSupplier now;

    /** @param now epoch seconds */
    Nodes(
            Database database,
            Stores stores,
            NodeWatch watch,
            Withdrawals withdrawals,
            Wakeups dispatcher,
            DoubleSupplier now) {
        this.database = database;
        this.stores = stores;
        this.watch = watch;
        this.withdrawals = withdrawals;
        this.dispatcher = dispatcher;
        this.now = now;
    }

    GatewayNodeInfo register(NodeRegistration node) {
        database.change(change -> {
            stores.nodes().register(change.handle(), trimmed(node), now.getAsDouble());
            return null;
        });
        LOG.info("node {} registered: {}", node.nodeId(), node.gatewayUrl());
        // It may have been restarted, and know nothing of what it had.
        watch.recheck(Optional.of(node.nodeId()));
        endLost(node.nodeId());
        dispatcher.ring();
        return find(node.nodeId()).orElseThrow();
    }

    private static NodeRegistration trimmed(NodeRegistration node) {
        var url = node.gatewayUrl();
        return url.endsWith("/")
                ? new NodeRegistration(
                        node.nodeId(),
                        url.substring(0, url.length() - 1),
                        node.maxInitWorkers(),
                        node.maxRunWorkers(),
                        node.maxPostrunWorkers(),
                        node.heartbeatIntervalSeconds())
                : node;
    }

    /** Empty where it has to register first. */
    Optional<GatewayNodeInfo> heartbeat(String nodeId, NodeStageMetrics metrics) {
        var before = database.change(change -> {
            var node = stores.nodes().find(change.handle(), nodeId);
            stores.nodes().heartbeat(change.handle(), nodeId, metrics, now.getAsDouble());
            return node;
        });
        if (before.filter(NodeRow::stale).isPresent()) {
            LOG.info("node {} is back", nodeId);
            endLost(nodeId);
        }
        dispatcher.ring();
        return find(nodeId);
    }

    /** What was given to others while it was silent need not be finished there. */
    private void endLost(String nodeId) {
        double since = now.getAsDouble() - 24 * 3600;
        database.read(handle -> stores.sessions().lostAt(handle, nodeId, since))
                .forEach(session -> withdrawals.withdraw(session, nodeId));
    }

    /** It gets no new sessions until it registers again; empty where it is not known. */
    Optional<GatewayNodeInfo> drain(String nodeId) {
        database.change(change -> {
            stores.nodes().drain(change.handle(), nodeId);
            return null;
        });
        return find(nodeId);
    }

    Optional<GatewayNodeInfo> find(String nodeId) {
        return all().stream().filter(node -> node.nodeId().equals(nodeId)).findFirst();
    }

    List<GatewayNodeInfo> all() {
        double time = now.getAsDouble();
        return database.read(handle -> stores.nodes().all(handle).stream()
                .map(node -> node.info(stores.sessions().sentSince(handle, node.nodeId(), node.lastHeartbeat()), time))
                .toList());
    }
}
