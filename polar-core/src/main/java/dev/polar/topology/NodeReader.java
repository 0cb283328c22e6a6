package dev.polar.topology;

import dev.polar.spi.EngineProfile;
import dev.polar.spi.InvalidValueException;
import dev.polar.spi.RuntimeSpec;
import dev.polar.spi.Sampling;
import dev.polar.spi.TaskRequest;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Reads {@code gateway.nodes}. */
final class NodeReader {
    private static final String DEFAULT_ENGINE_URL = "http://127.0.0.1:8000";

    private final Hosts hosts;
    private final Path folder;

    NodeReader(Hosts hosts, Path folder) {
        this.hosts = hosts;
        this.folder = folder;
    }

    List<NodeConfig> nodes(Section gateway) {
        var sections = gateway.sections("nodes", "id");
        if (sections.isEmpty()) {
            throw gateway.refuse("nodes", "at least one node is needed");
        }
        Map<String, Section> byId = new HashMap<>();
        return sections.stream()
                .map(section -> {
                    var node = node(section);
                    var first = byId.putIfAbsent(node.id(), section);
                    if (first != null) {
                        throw section.refuse(
                                "id", "'" + node.id() + "' is the id of " + first.path("id") + " too; ids must differ");
                    }
                    return node;
                })
                .toList();
    }

    private NodeConfig node(Section node) {
        node.only(
                "id",
                "host",
                "port",
                "public_url",
                "agent_listen",
                "model_served",
                "inference",
                "model_pool",
                "max_init_workers",
                "max_run_workers",
                "max_postrun_workers",
                "ready_buffer",
                "default_runtime",
                "open_sessions",
                "max_body_mb",
                "snapshots",
                "roots");
        var host = hosts.host(node);
        var port = node.integer("port", 8081, 0, 65535);
        var runWorkers = node.integer("max_run_workers", 2, 1);
        return new NodeConfig(
                id(node),
                host,
                port,
                node.url("public_url", Hosts.publicUrl(host, port)),
                Hosts.hostAndPort(node, "agent_listen"),
                node.text("model_served", ""),
                inference(node.section("inference")),
                modelPool(node),
                node.integer("max_init_workers", 4, 1),
                runWorkers,
                node.integer("max_postrun_workers", 4, 1),
                node.integer("ready_buffer", runWorkers, 0),
                defaultRuntime(node),
                node.flag("open_sessions", false),
                node.integer("max_body_mb", 64, 1, 2047),
                snapshots(node.section("snapshots")),
                node.texts("roots").stream().map(this::absolute).toList());
    }

    private static String id(Section node) {
        var id = node.text("id", Hosts.machineName());
        try {
            return TaskRequest.checkId("id", id);
        } catch (InvalidValueException refused) {
            throw node.refuse("id", refused.getMessage().substring("id: ".length()));
        }
    }

    private static NodeConfig.Inference inference(Section inference) {
        inference.only(
                "engine",
                "base_url",
                "streaming",
                "continuation",
                "continuation_keep",
                "sampling",
                "end_of_turn_token_id",
                "logprobs");
        var endOfTurn = inference.has("end_of_turn_token_id")
                ? OptionalInt.of(inference.integer("end_of_turn_token_id", 0, 0))
                : OptionalInt.empty();
        return new NodeConfig.Inference(
                inference.text("engine", "sglang"),
                inference.serverUrls("base_url", DEFAULT_ENGINE_URL),
                inference.choice("streaming", NodeConfig.Streaming.class, NodeConfig.Streaming.BUFFERED),
                inference.choice("continuation", NodeConfig.Continuation.class, null),
                inference.flag("continuation_keep", false),
                sampling(inference.section("sampling")),
                endOfTurn,
                inference.choice("logprobs", EngineProfile.Logprobs.class, null));
    }

    private static Sampling sampling(Section sampling) {
        sampling.only("temperature", "top_p", "top_k", "min_p", "max_tokens", "seed");
        return new Sampling(
                sampling.has("temperature") ? sampling.atLeastZero("temperature", 0) : null,
                fraction(sampling, "top_p"),
                sampling.has("top_k") ? topK(sampling) : null,
                fraction(sampling, "min_p"),
                sampling.has("max_tokens") ? sampling.integer("max_tokens", 1, 1) : null,
                sampling.whole("seed"));
    }

    private static Double fraction(Section sampling, String key) {
        if (!sampling.has(key)) {
            return null;
        }
        var value = sampling.atLeastZero(key, 0);
        if (value > 1) {
            throw sampling.refuse(key, value + " is not a number in 0..1");
        }
        return value;
    }

    private static Integer topK(Section sampling) {
        var value = sampling.integer("top_k", -1, -1);
        if (value == 0) {
            throw sampling.refuse("top_k", "0 is neither -1 (all) nor at least 1");
        }
        return value;
    }

    private static List<NodeConfig.PoolModel> modelPool(Section node) {
        var aliases = new HashSet<String>();
        return node.sections("model_pool", "alias").stream()
                .map(model -> {
                    model.only("alias", "model", "base_url", "api_key_env", "max_concurrency");
                    var alias = model.requiredText("alias");
                    if (!alias.matches("pool/.+")) {
                        throw model.refuse("alias", "'" + alias + "' does not start with pool/");
                    }
                    if (!aliases.add(alias)) {
                        throw model.refuse("alias", "'" + alias + "' stands twice; aliases of a node must differ");
                    }
                    return new NodeConfig.PoolModel(
                            alias,
                            model.requiredText("model"),
                            model.serverUrl("base_url", model.requiredText("base_url")),
                            model.text("api_key_env", null),
                            model.has("max_concurrency") ? model.integer("max_concurrency", 1, 1) : null);
                })
                .toList();
    }

    private RuntimeSpec defaultRuntime(Section node) {
        Specs.resolveRuntimePaths(node.object("default_runtime"), folder);
        return node.bound("default_runtime", RuntimeSpec.class);
    }

    private static NodeConfig.Snapshots snapshots(Section snapshots) {
        snapshots.only("enabled", "max_gb", "max_age_hours");
        var off = NodeConfig.Snapshots.OFF;
        return new NodeConfig.Snapshots(
                snapshots.flag("enabled", off.enabled()),
                snapshots.integer("max_gb", off.maxGb(), 1),
                snapshots.integer("max_age_hours", off.maxAgeHours(), 1));
    }

    private Path absolute(String path) {
        return folder.resolve(path).normalize();
    }
}
