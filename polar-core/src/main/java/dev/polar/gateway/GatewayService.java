package dev.polar.gateway;

import dev.polar.capture.RecordStore;
import dev.polar.evaluation.SessionCompletedEvaluator;
import dev.polar.events.EventHub;
import dev.polar.inference.EngineCatalog;
import dev.polar.inference.InferenceControl;
import dev.polar.plugin.PluginRegistry;
import dev.polar.proxy.ProxyService;
import dev.polar.proxy.SessionDirectory;
import dev.polar.security.ControlToken;
import dev.polar.server.Listeners;
import dev.polar.server.PolarServer;
import dev.polar.server.Role;
import dev.polar.server.RoleService;
import dev.polar.server.StartException;
import dev.polar.spi.EngineProfile;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.NodeRegistration;
import dev.polar.spi.SessionStatus;
import dev.polar.topology.NodeConfig;
import dev.polar.trajectory.PerRequestBuilder;
import dev.polar.trajectory.PrefixMergingBuilder;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pf4j.ExtensionPoint;
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

    /** A folder for the programs that harnesses install, where nodes of one machine are to share them; unset: each node's own. */
    private static final String AGENT_CACHE = "POLAR_AGENT_CACHE";

    private final PolarServer server;
    private final SessionDirectory directory;
    private final ProxyService proxy;
    private final EventHub events;
    private final ControlToken token;

    /** What was started, to be closed in reverse. */
    private final Deque<Runnable> started = new ArrayDeque<>();

    private volatile GatewayNode node;

    /** For the container's proxy. */
    protected GatewayService() {
        this(null, null, null, null, null);
    }

    @Inject
    public GatewayService(
            PolarServer server, SessionDirectory directory, ProxyService proxy, EventHub events, ControlToken token) {
        this.server = server;
        this.directory = directory;
        this.proxy = proxy;
        this.events = events;
        this.token = token;
    }

    @Override
    public Role role() {
        return Role.GATEWAY;
    }

    @Override
    public void start() {
        try {
            var root = server.dataDir(Role.GATEWAY);
            var cache = System.getenv(AGENT_CACHE);
            var folder = cache == null || cache.isBlank()
                    ? NodeFolder.open(root)
                    : NodeFolder.open(root, Path.of(cache).toAbsolutePath());
            var plugins = plugins(folder);
            var profile = startProxy(plugins);
            startNode(folder, plugins, profile);
        } catch (RuntimeException refused) {
            stop();
            throw refused;
        }
    }

    private PluginRegistry plugins(NodeFolder folder) {
        List<ExtensionPoint> builtIn = new ArrayList<>(EngineCatalog.builtIn());
        builtIn.add(new SessionCompletedEvaluator());
        builtIn.add(new PerRequestBuilder());
        builtIn.add(new PrefixMergingBuilder());
        var plugins =
                new PluginRegistry(server.topology().plugins(), folder.root().resolve("plugins"), builtIn);
        started.push(plugins::close);
        plugins.start();
        return plugins;
    }

    private EngineProfile startProxy(PluginRegistry plugins) {
        var config = server.node();
        try {
            var engine = plugins.engine(config.inference().engine());
            started.push(engine::close);
            var profile = engine.value().profile();
            started.push(proxy::stop);
            proxy.start(config, profile, config.openSessions() ? key -> node.stranger(key) : null);
            return profile;
        } catch (ExtensionException | IllegalArgumentException refused) {
            throw new StartException("node '" + config.id() + "': " + Messages.of(refused), refused);
        }
    }

    private void startNode(NodeFolder folder, PluginRegistry plugins, EngineProfile profile) {
        var config = server.node();
        var topology = server.topology();
        var records = new RecordStore(folder.records(), topology.gateway().persistence());
        started.push(records::close);
        var link = new RolloutLink(
                topology.gateway().rolloutServerUrl(), token.value().orElse(null));
        started.push(link::close);
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
                proxy.detokenizer(),
                profile.endOfTurnTokenId(),
                proxy::continuationInForce);
        var spool = new ResultSpool(folder);
        node = new GatewayNode(
                parts, spool, new ResultSender(link, spool, FIRST_BACKOFF, LONGEST_BACKOFF), this::publish);
        started.push(() -> node.stop(SESSIONS_END_LIMIT, LAST_RESULTS_LIMIT));
        node.recover();
        var heartbeat = new NodeHeartbeat(link, registration(config), node::metrics);
        started.push(() -> leave(heartbeat, link));
        heartbeat.start();
        var age = Duration.ofDays(topology.rollout().retentionDays());
        var retention = Thread.ofVirtual().name("retention").start(() -> retain(age));
        started.push(retention::interrupt);
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
        while (!started.isEmpty()) {
            started.pop().run();
        }
    }

    /** A last word to the rollout server, which would notice by itself, but later. */
    private void leave(NodeHeartbeat heartbeat, RolloutLink link) {
        heartbeat.close();
        CleanUp.run("telling the rollout server that the node stops", Duration.ofSeconds(3), () -> {
            try {
                link.drain(server.node().id());
            } catch (IOException gone) {
                LOG.debug("the rollout server was not told", gone);
            }
        });
    }

    /** Asks the engine, so it can wait. Null where it can generate. */
    String engineProblem() {
        return proxy.unhealthy();
    }

    InferenceControl control() {
        return proxy.control();
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
