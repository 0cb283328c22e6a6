package dev.polar.server;

import dev.polar.security.ControlToken;
import dev.polar.spi.InvalidValueException;
import dev.polar.topology.NodeConfig;
import dev.polar.topology.Topology;
import dev.polar.topology.TopologyException;
import dev.polar.topology.TopologyLoader;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.BeforeDestroyed;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.microprofile.config.Config;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process's roles: reads the topology, starts the services of its roles in order, stops them in reverse. What its getters give is fixed once the application has started. Thread-safe.
 */
@ApplicationScoped
public class PolarServer {
    private static final Logger LOG = LoggerFactory.getLogger(PolarServer.class);

    private final Config config;
    private final Instance<RoleService> services;
    private final ControlToken token;
    private final Map<Role, StateFolder> folders = new EnumMap<>(Role.class);
    private final Deque<RoleService> started = new ArrayDeque<>();

    private volatile Set<Role> roles = Set.of();
    private volatile Topology topology;
    private volatile NodeConfig node;
    private volatile Listeners listeners = new Listeners(Map.of());
    private volatile boolean ready;
    private volatile String failure;

    /** For the container's proxy. */
    protected PolarServer() {
        this(null, null, null);
    }

    @Inject
    public PolarServer(Config config, @Any Instance<RoleService> services, ControlToken token) {
        this.config = config;
        this.services = services;
        this.token = token;
    }

    void start(@Observes @Initialized(ApplicationScoped.class) Object application) {
        try {
            value("polar.parent.pid").ifPresent(ParentWatch::start);
            read();
            for (var service : servicesInOrder()) {
                service.start();
                started.push(service);
            }
            ready = true;
            LOG.info("ready: {}", roles);
        } catch (RuntimeException refused) {
            // Requests are answered with this line; the server lives on, so that whoever started it can read it.
            failure = refused.getMessage() == null ? refused.toString() : refused.getMessage();
            if (refused instanceof StartException
                    || refused instanceof InvalidValueException
                    || refused instanceof TopologyException) {
                LOG.error("cannot start: {}", failure);
                LOG.debug("cannot start", refused);
            } else {
                LOG.error("cannot start: {}", failure, refused);
            }
            stopAll();
        }
    }

    void stop(@Observes @BeforeDestroyed(ApplicationScoped.class) Object application) {
        ready = false;
        stopAll();
    }

    private void read() {
        roles = Set.copyOf(Role.of(value("polar.role").orElse("all")));
        var file = value("polar.topology")
                .orElseThrow(() -> new StartException(
                        "POLAR_TOPOLOGY is not set: set it to the path of the topology file (topology.yaml)"));
        topology = TopologyLoader.load(Path.of(file).toAbsolutePath(), this::value);
        listeners = Listeners.from(this::value);
        node = roles.contains(Role.GATEWAY) ? ownNode() : null;
        checkHosts();
        for (var role : roles) {
            folders.put(role, StateFolder.claim(topology.dataDir().resolve(folderName(role))));
        }
    }

    private NodeConfig ownNode() {
        var id = value("polar.gateway.node.id");
        if (id.isPresent()) {
            return topology.node(id.get());
        }
        var nodes = topology.gateway().nodes();
        if (nodes.size() == 1) {
            return nodes.getFirst();
        }
        throw new StartException("the topology has " + nodes.size() + " nodes ("
                + String.join(", ", nodes.stream().map(NodeConfig::id).toList())
                + "): say which one this is with --node-id or POLAR_GATEWAY_NODE_ID");
    }

    private void checkHosts() {
        for (var kind : Listeners.Kind.values()) {
            // The agents' own listener serves calls that need a session's key, and nothing of the control plane.
            if (kind != Listeners.Kind.AGENT) {
                listeners
                        .address(kind)
                        .ifPresent(address -> HostsRule.check(
                                "host", address.host(), token.isSet(), topology.allowOpenControlPlane()));
            }
        }
        if (node != null && !token.isSet()) {
            LOG.warn("no control token is set: agents that share this host's network can reach the control plane"
                    + " (set POLAR_CONTROL_PLANE_TOKEN)");
        }
    }

    private String folderName(Role role) {
        return switch (role) {
            case ROLLOUT -> "rollout";
            case GATEWAY -> "node-" + node.id();
        };
    }

    private Iterable<RoleService> servicesInOrder() {
        return services.stream()
                .filter(service -> roles.contains(service.role()))
                .sorted(Comparator.comparing(RoleService::role))
                .toList();
    }

    private void stopAll() {
        while (!started.isEmpty()) {
            var service = started.pop();
            try {
                service.stop();
            } catch (RuntimeException broken) {
                LOG.error("{} did not stop cleanly", service.role(), broken);
            }
        }
        folders.values().forEach(StateFolder::close);
        folders.clear();
    }

    /** A value of the configuration: environment, system properties, the server's variables. */
    public Optional<String> value(String name) {
        return config.getOptionalValue(name, String.class).filter(text -> !text.isBlank());
    }

    public Topology topology() {
        return topology;
    }

    public Set<Role> roles() {
        return roles;
    }

    /** @throws IllegalStateException where this process is no gateway */
    public NodeConfig node() {
        if (node == null) {
            throw new IllegalStateException("this process is no gateway");
        }
        return node;
    }

    /** The folder that a role of this process keeps its state in; it exists and is locked. */
    public Path dataDir(Role role) {
        var folder = folders.get(role);
        if (folder == null) {
            throw new IllegalStateException("this process has no role " + role);
        }
        return folder.path();
    }

    public Listeners listeners() {
        return listeners;
    }

    /** All services have started and none was stopped. */
    public boolean ready() {
        return ready;
    }

    /** Why the start failed, in one line, if it did. */
    public Optional<String> failure() {
        return Optional.ofNullable(failure);
    }
}
