package dev.polar.gateway;

import dev.polar.capture.Detokenizer;
import dev.polar.capture.RecordStore;
import dev.polar.evaluation.SessionCompletedEvaluator;
import dev.polar.events.EventHub;
import dev.polar.plugin.PluginRegistry;
import dev.polar.proxy.SessionDirectory;
import dev.polar.security.ControlToken;
import dev.polar.server.Listeners;
import dev.polar.server.PolarServer;
import dev.polar.server.Role;
import dev.polar.server.RoleService;
import dev.polar.spi.NodeRegistration;
import dev.polar.spi.SessionStatus;
import dev.polar.topology.NodeConfig;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The gateway role: starts the node, keeps it known to the rollout server, stops it. Thread-safe once started. */
@ApplicationScoped
public class GatewayService implements RoleService {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayService.class);
    private static final Duration FIRST_BACKOFF = Duration.ofMillis(200);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(30);
    private static final Duration SESSIONS_END_LIMIT = Duration.ofSeconds(90);
    private static final Duration LAST_RESULTS_LIMIT = Duration.ofSeconds(3);
    private static final Duration RETENTION_CHECK = Duration.ofHours(1);

    private final PolarServer server;
    private final SessionDirectory directory;
    private final EventHub events;
    private final ControlToken token;

    private volatile GatewayNode node;
    private PluginRegistry plugins;
    private RecordStore records;
    private RolloutLink link;
    private NodeHeartbeat heartbeat;
    private Thread retention;

    /** For the container's proxy. */
    protected GatewayService() {
        this(null, null, null, null);
    }

    @Inject
    public GatewayService(PolarServer server, SessionDirectory directory, EventHub events, ControlToken token) {
        this.server = server;
        this.directory = directory;
        this.events = events;
        this.token = token;
    }

    @Override
    public Role role() {
        return Role.GATEWAY;
    }

    @Override
    public void start() {
        var config = server.node();
        var topology = server.topology();
        var folder = NodeFolder.open(server.dataDir(Role.GATEWAY));
        plugins = new PluginRegistry(
                topology.plugins(), folder.root().resolve("plugins"), List.of(new SessionCompletedEvaluator()));
        plugins.start();
        records = new RecordStore(folder.records(), topology.gateway().persistence());
        link = new RolloutLink(
                topology.gateway().rolloutServerUrl(), token.value().orElse(null));
        var spool = new ResultSpool(folder);
        var parts = new NodeParts(
                config,
                folder,
                plugins,
                records,
                directory,
                new Stages(
                        config.maxInitWorkers(),
                        config.maxRunWorkers(),
                        config.maxPostrunWorkers(),
                        config.readyBuffer()),
                agentUrl(config),
                Detokenizer.NONE,
                OptionalInt.empty());
        node = new GatewayNode(
                parts, spool, new ResultSender(link, spool, FIRST_BACKOFF, LONGEST_BACKOFF), this::publish);
        node.recover();
        heartbeat = new NodeHeartbeat(link, registration(config), node::metrics);
        heartbeat.start();
        var age = Duration.ofDays(topology.rollout().retentionDays());
        retention = Thread.ofVirtual().name("retention").start(() -> retain(age));
    }

    private NodeRegistration registration(NodeConfig config) {
        return new NodeRegistration(
                config.id(),
                config.publicUrl(),
                config.maxInitWorkers(),
                config.maxRunWorkers(),
                config.maxPostrunWorkers(),
                server.topology().gateway().heartbeatIntervalSeconds());
    }

    /** Agents have a listener of their own where the node has one. */
    private URI agentUrl(NodeConfig config) {
        return server.listeners()
                .address(Listeners.Kind.AGENT)
                .map(address -> URI.create("http://" + reachable(address.host()) + ":" + address.port()))
                .orElse(URI.create(config.publicUrl()));
    }

    private static String reachable(String host) {
        return switch (host) {
            case "0.0.0.0", "*", "::" -> "127.0.0.1";
            default -> host.contains(":") ? "[" + host + "]" : host;
        };
    }

    private void publish(Session session, SessionStatus from, SessionStatus to) {
        var data = new LinkedHashMap<String, Object>();
        data.put("session_id", session.id());
        data.put("task_id", session.manifest().taskId());
        data.put("node_id", server.node().id());
        data.put("from", from);
        data.put("status", to);
        events.of(Role.GATEWAY).publish("session.state_changed", data);
    }

    private void retain(Duration age) {
        try {
            while (true) {
                node.retain(age);
                Thread.sleep(RETENTION_CHECK);
            }
        } catch (InterruptedException stopping) {
            // the node stops
        }
    }

    @Override
    public void stop() {
        retention.interrupt();
        heartbeat.close();
        drain();
        node.stop(SESSIONS_END_LIMIT, LAST_RESULTS_LIMIT);
        records.close();
        plugins.close();
        link.close();
    }

    /** A last word to the rollout server, which would notice by itself, but later. */
    private void drain() {
        CleanUp.run("telling the rollout server that the node stops", Duration.ofSeconds(3), () -> {
            try {
                link.drain(server.node().id());
            } catch (IOException gone) {
                LOG.debug("the rollout server was not told", gone);
            }
        });
    }

    /** The node, once it has started. */
    GatewayNode node() {
        return node;
    }

    NodeConfig config() {
        return server.node();
    }

    /** How completions are written, for {@code /health}. */
    Map<String, Object> persistence() {
        var persistence = server.topology().gateway().persistence();
        return Map.of("enabled", persistence.enabled(), "fsync", persistence.fsync());
    }

    /** True where a dispatch needs the control token and {@code given} is not it. */
    boolean refuses(String given) {
        return !token.accepts(given);
    }
}
