package dev.polar.topology;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.wire.Json;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads a topology file, fills the defaults in, and refuses what does not fit with {@code file:line: path: what is wrong, what was expected}. Thread-safe. */
public final class TopologyLoader {
    /** Environment variable that holds the control token. */
    public static final String TOKEN_VARIABLE = "POLAR_CONTROL_PLANE_TOKEN";

    /** Configuration key of the folder with the plugins that come with the server; no key of the file. */
    public static final String BUNDLED_PLUGINS = "polar.plugins.bundled";

    private static final Logger LOG = LoggerFactory.getLogger(TopologyLoader.class);

    private final Path folder;
    private final YamlFile file;
    private final Section root;
    private final Function<String, Optional<String>> override;
    private final Function<String, Optional<String>> environment;
    private final Consumer<String> warnings;

    private TopologyLoader(
            YamlFile file,
            Function<String, Optional<String>> override,
            Function<String, Optional<String>> environment,
            Consumer<String> warnings) {
        this.file = file;
        this.folder = file.folder();
        this.root = Section.root(file, override);
        this.override = override;
        this.environment = environment;
        this.warnings = warnings;
    }

    /**
     * Reads with the process's environment; warnings go to the log.
     *
     * @param file the file; relative paths in it are resolved against its folder
     * @param override the value of a key that configuration overrides, asked by names such as {@code polar.rollout.port} and {@code polar.gateway.nodes.<id>.port}
     * @throws TopologyException where something does not fit
     */
    public static Topology load(Path file, Function<String, Optional<String>> override) {
        return load(file, override, name -> Optional.ofNullable(System.getenv(name)), LOG::warn);
    }

    /**
     * The same with an environment of its own.
     *
     * @param environment the value of an environment variable
     * @param warnings told, once each, of what is accepted and has no effect
     */
    public static Topology load(
            Path file,
            Function<String, Optional<String>> override,
            Function<String, Optional<String>> environment,
            Consumer<String> warnings) {
        var yaml = YamlFile.read(file, text -> Expansion.expand(text, environment));
        return new TopologyLoader(yaml, override, environment, warnings).topology();
    }

    private Topology topology() {
        root.only(
                "rollout",
                "gateway",
                "data_dir",
                "plugins",
                "defaults",
                "presets",
                "control_token_scope",
                "allow_open_control_plane");
        var allowOpen = root.flag("allow_open_control_plane", false);
        var token = environment.apply(TOKEN_VARIABLE).filter(value -> !value.isBlank());
        var hosts = new Hosts(token.isPresent(), allowOpen);
        var rollout = rollout(root.section("rollout"), hosts);
        return new Topology(
                rollout,
                gateway(root.section("gateway"), hosts, rollout),
                absolute(root.text("data_dir", ".polar")),
                plugins(root.section("plugins")),
                defaults("defaults"),
                presets(),
                root.choice("control_token_scope", Topology.ControlTokenScope.class, Topology.ControlTokenScope.ALL),
                allowOpen);
    }

    private RolloutConfig rollout(Section rollout, Hosts hosts) {
        rollout.only(
                "host",
                "port",
                "public_url",
                "save_dir",
                "dispatch_poll_interval_seconds",
                "callback_grace_seconds",
                "http_max_connections",
                "http_max_keepalive_connections",
                "cleanup_max_concurrency",
                "cleanup_max_attempts",
                "cleanup_retry_backoff_seconds",
                "database",
                "max_attempts",
                "retention_days",
                "callback_give_up_hours",
                "callback_allow",
                "unknown_keys",
                "check_assets");
        var host = hosts.host(rollout);
        var port = rollout.integer("port", 8080, 0, 65535);
        var saveDir = rollout.text("save_dir", null);
        return new RolloutConfig(
                host,
                port,
                rollout.url("public_url", Hosts.publicUrl(host, port)),
                saveDir == null ? null : absolute(saveDir),
                rollout.positive("dispatch_poll_interval_seconds", 1.0),
                rollout.atLeastZero("callback_grace_seconds", 120.0),
                rollout.integer("http_max_connections", 1024, 1),
                rollout.integer("http_max_keepalive_connections", 256, 1),
                rollout.integer("cleanup_max_concurrency", 128, 1),
                rollout.integer("cleanup_max_attempts", 3, 1),
                rollout.atLeastZero("cleanup_retry_backoff_seconds", 0.1),
                database(rollout.section("database")),
                rollout.integer("max_attempts", 3, 1),
                rollout.integer("retention_days", 30, 1),
                rollout.positive("callback_give_up_hours", 24),
                rollout.texts("callback_allow"),
                rollout.choice("unknown_keys", UnknownKeys.class, UnknownKeys.REJECT) == UnknownKeys.WARN,
                rollout.flag("check_assets", true));
    }

    private static RolloutConfig.DatabaseConfig database(Section database) {
        database.only("url", "user", "password_env");
        var url = database.text("url", null);
        if (url != null && !url.startsWith("jdbc:")) {
            throw database.refuse("url", "'" + url + "' is not a JDBC URL such as jdbc:postgresql://127.0.0.1/polar");
        }
        if (url == null && (database.has("user") || database.has("password_env"))) {
            throw database.refuse("url", "is required where a user or password is given");
        }
        return new RolloutConfig.DatabaseConfig(url, database.text("user", null), database.text("password_env", null));
    }

    private GatewayConfig gateway(Section gateway, Hosts hosts, RolloutConfig rollout) {
        gateway.only("heartbeat_interval_seconds", "rollout_server_url", "nodes", "completion_persistence");
        return new GatewayConfig(
                gateway.positive("heartbeat_interval_seconds", 30),
                gateway.url("rollout_server_url", rollout.publicUrl()),
                new NodeReader(hosts, folder).nodes(gateway),
                persistence(gateway.section("completion_persistence")));
    }

    private GatewayConfig.Persistence persistence(Section section) {
        section.only(
                "enabled",
                "max_field_bytes",
                "queue_size",
                "write_workers",
                "batch_size",
                "write_max_attempts",
                "retry_backoff_seconds",
                "fsync");
        if (section.has("max_field_bytes")) {
            section.integer("max_field_bytes", 1, 1);
            warnings.accept(file.place(section.path("max_field_bytes")) + ": " + section.path("max_field_bytes")
                    + ": is accepted and ignored: nothing is truncated");
        }
        var byDefault = GatewayConfig.Persistence.DEFAULT;
        return new GatewayConfig.Persistence(
                section.flag("enabled", byDefault.enabled()),
                section.integer("queue_size", byDefault.queueSize(), 1),
                section.integer("write_workers", byDefault.writeWorkers(), 1),
                section.integer("batch_size", byDefault.batchSize(), 1),
                section.integer("write_max_attempts", byDefault.writeMaxAttempts(), 1),
                section.atLeastZero("retry_backoff_seconds", byDefault.retryBackoffSeconds()),
                section.choice("fsync", GatewayConfig.Fsync.class, byDefault.fsync()));
    }

    private Topology.PluginsConfig plugins(Section plugins) {
        plugins.only("dir", "enabled", "disabled", "config");
        var config = overridden(plugins.object("config"), "polar.plugins.config");
        Map<String, Map<String, Object>> byId = new LinkedHashMap<>();
        for (var entry : config.properties()) {
            if (!entry.getValue().isObject()) {
                throw file.refuse(
                        "plugins.config." + entry.getKey(), Section.describe(entry.getValue()) + " is not a mapping");
            }
            byId.put(entry.getKey(), map(entry.getValue()));
        }
        return new Topology.PluginsConfig(
                pluginDirs(plugins), plugins.texts("enabled"), plugins.texts("disabled"), byId);
    }

    private List<Path> pluginDirs(Section plugins) {
        var own = absolute(plugins.text("dir", "plugins"));
        return override.apply(BUNDLED_PLUGINS)
                .map(Path::of)
                .filter(bundled -> !bundled.equals(own))
                .map(bundled -> List.of(bundled, own))
                .orElse(List.of(own));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(JsonNode tree) {
        return Json.MAPPER.convertValue(tree, Map.class);
    }

    private ObjectNode defaults(String key) {
        var tree = overridden(root.object(key), "polar." + key);
        return Specs.checkedDefaults(file, root.section(key), tree, key);
    }

    private Map<String, ObjectNode> presets() {
        var presets = root.section("presets");
        overridden(root.object("presets"), "polar.presets");
        Map<String, ObjectNode> byName = new LinkedHashMap<>();
        for (var name : names(root.object("presets"))) {
            byName.put(
                    name, Specs.checkedDefaults(file, presets.section(name), presets.object(name), "presets." + name));
        }
        return byName;
    }

    private ObjectNode overridden(ObjectNode tree, String configuration) {
        return (ObjectNode) Specs.overridden(tree, configuration, override);
    }

    private static List<String> names(ObjectNode tree) {
        return tree.properties().stream().map(Map.Entry::getKey).toList();
    }

    private Path absolute(String path) {
        return folder.resolve(path).normalize();
    }

    private enum UnknownKeys {
        REJECT,
        WARN
    }
}
