package dev.polar.rollout;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.TaskRequest;
import dev.polar.topology.Topology;
import dev.polar.wire.Binder;
import dev.polar.wire.BindingException;
import dev.polar.wire.UnknownKeyException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns a submitted body into a task: presets and defaults filled in, unknown keys refused or warned of. Thread-safe. */
final class TaskBinding {
    private static final Logger LOG = LoggerFactory.getLogger(TaskBinding.class);
    private static final String PRESET = "preset:";
    /** Known to public clients, and without a meaning here. */
    private static final String IGNORED = "max_steps";

    private static final List<String> FILLED = List.of("agent", "runtime", "evaluator", "builder", "timeout_seconds");
    /** What belongs to whom a section names, and so is not taken over from a section that names another. */
    private static final Map<String, List<String>> NAMES = Map.of(
            "agent", List.of("harness", "import_path"),
            "runtime", List.of("backend", "import_path"),
            "evaluator", List.of("strategy"),
            "builder", List.of("strategy"));

    private static final Map<String, List<String>> OWNED = Map.of(
            "agent", List.of("harness", "import_path", "settings", "custom_shell"),
            "runtime", List.of("backend", "import_path", "image", "kwargs"),
            "evaluator", List.of("strategy", "config"),
            "builder", List.of("strategy", "config"));

    private final ObjectNode defaults;
    private final Map<String, ObjectNode> presets;
    private final boolean warnOnUnknownKeys;

    TaskBinding(Topology topology) {
        this.defaults = topology.defaults();
        this.presets = topology.presets();
        this.warnOnUnknownKeys = topology.rollout().warnOnUnknownKeys();
    }

    /** @throws BindingException where the body is no task */
    TaskRequest bind(byte[] body) {
        if (!(Binder.parse(body) instanceof ObjectNode task)) {
            throw new BindingException("", "must be a JSON object");
        }
        task.remove(IGNORED);
        checkLists(task.path("runtime"));
        fill(task, preset(task));
        fill(task, defaults);
        return warnOnUnknownKeys ? tolerant(task) : Binder.bind(task, TaskRequest.class, "");
    }

    private static TaskRequest tolerant(ObjectNode task) {
        var ignored = new ArrayList<String>();
        while (true) {
            try {
                var request = Binder.bind(task, TaskRequest.class, "");
                if (!ignored.isEmpty()) {
                    LOG.warn("task {}: unknown keys ignored: {}", request.taskId(), String.join(", ", ignored));
                }
                return request;
            } catch (UnknownKeyException unknown) {
                ignored.add(unknown.path());
                if (!unknown.removeFrom(task)) {
                    throw unknown;
                }
            }
        }
    }

    /** A null among a list's elements is no action: said here, with its place. */
    private static void checkLists(JsonNode runtime) {
        for (var key : List.of("prepare", "eval_prepare")) {
            if (runtime.path(key) instanceof ArrayNode actions) {
                for (int i = 0; i < actions.size(); i++) {
                    if (!actions.get(i).isObject()) {
                        throw new BindingException("runtime." + key + "[" + i + "]", "must be an object");
                    }
                }
            }
        }
    }

    private ObjectNode preset(ObjectNode task) {
        var harness = task.path("agent").path("harness").asText("");
        if (!harness.startsWith(PRESET)) {
            return null;
        }
        var name = harness.substring(PRESET.length());
        var preset = presets.get(name);
        if (preset == null) {
            throw new BindingException("agent.harness", Binder.unknown("preset", name, presets.keySet()));
        }
        ((ObjectNode) task.get("agent")).remove("harness");
        return preset;
    }

    private static void fill(ObjectNode task, ObjectNode source) {
        if (source == null) {
            return;
        }
        for (var key : FILLED) {
            var given = source.get(key);
            if (given == null || given.isNull()) {
                continue;
            }
            if (absent(task.get(key))) {
                task.set(key, given.deepCopy());
            } else if (task.get(key) instanceof ObjectNode own && given instanceof ObjectNode section) {
                merge(own, withoutForeign(key, own, section));
            }
        }
    }

    private static ObjectNode withoutForeign(String key, ObjectNode own, ObjectNode source) {
        var section = source.deepCopy();
        if (name(key, own) != null
                && name(key, section) != null
                && !name(key, own).equals(name(key, section))) {
            section.remove(OWNED.get(key));
        }
        return section;
    }

    private static String name(String key, ObjectNode section) {
        return NAMES.getOrDefault(key, List.of()).stream()
                .filter(name -> !absent(section.get(name)))
                .map(name -> name + "=" + section.get(name).asText())
                .findFirst()
                .orElse(null);
    }

    /** What the task says stays; lists are taken whole. */
    private static void merge(ObjectNode own, ObjectNode source) {
        source.properties().forEach(entry -> {
            var present = own.get(entry.getKey());
            if (absent(present)) {
                own.set(entry.getKey(), entry.getValue());
            } else if (present instanceof ObjectNode inner && entry.getValue() instanceof ObjectNode more) {
                merge(inner, more);
            }
        });
    }

    private static boolean absent(JsonNode value) {
        return value == null || value.isNull() || value.isMissingNode();
    }
}
