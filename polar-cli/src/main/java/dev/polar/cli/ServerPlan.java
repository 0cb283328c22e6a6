package dev.polar.cli;

import dev.polar.topology.NodeConfig;
import dev.polar.topology.Topology;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One server process: which roles, at which addresses, with what environment.
 *
 * @param name of its folder among the servers of one {@code data_dir}
 * @param topology with its ports decided
 * @param rollout true where it is the rollout server
 * @param node its gateway node, or null
 * @param environment what its process must have besides this one's
 */
record ServerPlan(String name, Topology topology, boolean rollout, NodeConfig node, Map<String, String> environment) {
    /**
     * Decides ports and checks that they are free.
     *
     * @param file the topology
     * @param rollout whether it is the rollout server
     * @param gateway whether it is a gateway
     * @param nodeId which; may be null where there is one node
     * @param configuration overrides so far; what is decided here is added
     * @throws UserException where a port is taken or the node is not known
     */
    static ServerPlan of(
            Path file,
            Distribution distribution,
            boolean rollout,
            boolean gateway,
            String nodeId,
            Configuration configuration,
            Consumer<String> warnings) {
        configuration.decide("polar.plugins.bundled", distribution.plugins());
        var asWritten = configuration.load(file, warnings);
        var environment = new LinkedHashMap<String, String>();
        environment.put("POLAR_TOPOLOGY", file.toAbsolutePath().toString());
        environment.put("POLAR_ROLE", rollout && gateway ? "all" : rollout ? "rollout" : "gateway");
        if (rollout) {
            var config = asWritten.rollout();
            var port = Ports.claim("rollout.port", config.host(), config.port());
            configuration.decide("polar.rollout.port", port);
            listen(environment, "ROLLOUT", config.host(), port);
        } else {
            if (asWritten.gateway().rolloutServerUrl().endsWith(":0")) {
                throw new UserException(file + ": gateway.rollout_server_url: with rollout.port 0 a gateway of its own"
                        + " cannot know where the rollout server is; give its URL");
            }
            environment.put("POLAR_LISTEN_ROLLOUT_ENABLED", "false");
        }
        var id = gateway ? nodeIn(asWritten, nodeId).id() : null;
        if (gateway) {
            decideNode(asWritten.node(id), configuration, environment);
        } else {
            environment.put("POLAR_LISTEN_GATEWAY_ENABLED", "false");
        }
        environment.put("POLAR_LISTEN_ADMIN_PORT", "" + Ports.claim("the admin port", "127.0.0.1", 0));
        environment.putAll(configuration.environment());
        var topology = configuration.load(file, _ -> {});
        var name = (rollout ? "rollout" : "") + (rollout && gateway ? "-" : "") + (gateway ? "node-" + id : "");
        return new ServerPlan(name, topology, rollout, gateway ? topology.node(id) : null, environment);
    }

    private static void decideNode(NodeConfig node, Configuration configuration, Map<String, String> environment) {
        var port = Ports.claim("the port of node " + node.id(), node.host(), node.port());
        configuration.decide("polar.gateway.nodes." + node.id() + ".port", port);
        environment.put("POLAR_GATEWAY_NODE_ID", node.id());
        listen(environment, "GATEWAY", node.host(), port);
        if (node.agentListen() != null) {
            var colon = node.agentListen().lastIndexOf(':');
            var host = node.agentListen().substring(0, colon);
            var wanted = Integer.parseInt(node.agentListen().substring(colon + 1));
            var agentPort = Ports.claim("agent_listen of node " + node.id(), host, wanted);
            configuration.decide("polar.gateway.nodes." + node.id() + ".agent_listen", host + ":" + agentPort);
            listen(environment, "AGENT", host, agentPort);
        }
    }

    private static void listen(Map<String, String> environment, String listener, String host, int port) {
        environment.put("POLAR_LISTEN_" + listener + "_ENABLED", "true");
        environment.put("POLAR_LISTEN_" + listener + "_HOST", host);
        environment.put("POLAR_LISTEN_" + listener + "_PORT", "" + port);
    }

    private static NodeConfig nodeIn(Topology topology, String nodeId) {
        var nodes = topology.gateway().nodes();
        var ids = String.join(", ", nodes.stream().map(NodeConfig::id).toList());
        if (nodeId == null) {
            if (nodes.size() > 1) {
                throw new UserException("the topology has " + nodes.size() + " nodes (" + ids
                        + "): say with --node-id which one this is");
            }
            return nodes.getFirst();
        }
        return nodes.stream()
                .filter(node -> node.id().equals(nodeId))
                .findFirst()
                .orElseThrow(() ->
                        new UserException("--node-id: the topology has no node '" + nodeId + "' (known: " + ids + ")"));
    }

    /** Where the rollout server is: this one, or the one that the gateway reports to. */
    String rolloutUrl() {
        return rollout ? topology.rollout().publicUrl() : topology.gateway().rolloutServerUrl();
    }

    Optional<NodeConfig> gatewayNode() {
        return Optional.ofNullable(node);
    }
}
