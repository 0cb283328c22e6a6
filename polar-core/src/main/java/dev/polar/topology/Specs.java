package dev.polar.topology;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.polar.spi.AgentSpec;
import dev.polar.spi.BuilderSpec;
import dev.polar.spi.EvaluatorSpec;
import dev.polar.spi.RuntimeSpec;
import dev.polar.wire.Binder;
import dev.polar.wire.BindingException;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/** The parts of a task that stand in files: checked against the SPI's records, and their local paths made absolute. Thread-safe. */
public final class Specs {
    private static final String PLACEHOLDER = "placeholder";

    private Specs() {}

    /**
     * Makes the sources of a runtime's uploads, and an agent's skills folder, absolute: they are relative to the file that names them.
     *
     * @param task a task, or {@code defaults} or a preset; changed in place
     * @param folder absolute
     */
    public static void resolvePaths(JsonNode task, Path folder) {
        resolveRuntimePaths(task.path("runtime"), folder);
        resolve(task.path("agent"), "skills_path", folder);
    }

    static void resolveRuntimePaths(JsonNode runtime, Path folder) {
        for (var steps : new String[] {"prepare", "eval_prepare"}) {
            for (var step : runtime.path(steps)) {
                resolve(step, "source", folder);
            }
        }
    }

    private static void resolve(JsonNode mapping, String key, Path folder) {
        if (mapping instanceof ObjectNode object && object.path(key).isTextual()) {
            object.put(
                    key, folder.resolve(object.get(key).textValue()).normalize().toString());
        }
    }

    /** Binds strictly; what does not fit is named with its line. */
    static <T> T bind(YamlFile file, JsonNode tree, Class<T> type, String path) {
        try {
            return Binder.bind(tree, type, path);
        } catch (BindingException refused) {
            var at = refused.path().isEmpty() ? path : refused.path();
            throw file.refuse(at, refused.getMessage().substring(at.length() + 2));
        }
    }

    /** Checks {@code defaults} or a preset. Its parts may leave required keys to the task: those are filled for the check. */
    static ObjectNode checkedDefaults(YamlFile file, Section section, ObjectNode tree, String path) {
        section.only("agent", "runtime", "evaluator", "builder", "timeout_seconds");
        section.positive("timeout_seconds", 1);
        check(file, section, "agent", AgentSpec.class, path, Specs::completeAgent);
        check(file, section, "runtime", RuntimeSpec.class, path, runtime -> fill(runtime, "image"));
        check(file, section, "evaluator", EvaluatorSpec.class, path, evaluator -> fill(evaluator, "strategy"));
        check(file, section, "builder", BuilderSpec.class, path, UnaryOperator.identity());
        resolvePaths(tree, file.folder());
        return tree;
    }

    private static void check(
            YamlFile file,
            Section section,
            String key,
            Class<?> type,
            String path,
            UnaryOperator<ObjectNode> completed) {
        if (section.has(key)) {
            bind(file, completed.apply(section.object(key).deepCopy()), type, path + "." + key);
        }
    }

    private static ObjectNode completeAgent(ObjectNode agent) {
        var shell = agent.hasNonNull("custom_shell");
        if (!agent.hasNonNull("harness") && !agent.hasNonNull("import_path")) {
            agent.put("harness", shell ? "shell" : PLACEHOLDER);
        } else if (!shell && "shell".equals(agent.path("harness").textValue())) {
            agent.put("harness", PLACEHOLDER);
        }
        return agent;
    }

    private static ObjectNode fill(ObjectNode tree, String key) {
        if (!tree.hasNonNull(key)) {
            tree.put(key, PLACEHOLDER);
        }
        return tree;
    }

    /** Applies configuration to every scalar that stands in a free-form part of the file. */
    static JsonNode overridden(
            JsonNode tree,
            String configuration,
            java.util.function.Function<String, java.util.Optional<String>> override) {
        if (tree instanceof ObjectNode object) {
            for (var entry : object.properties()) {
                entry.setValue(overridden(entry.getValue(), configuration + "." + entry.getKey(), override));
            }
        } else if (tree instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, overridden(array.get(i), configuration + "[" + i + "]", override));
            }
        } else {
            var value = override.apply(configuration);
            if (value.isPresent()) {
                return tree.isTextual() ? TextNode.valueOf(value.get()) : YamlFile.plain(value.get());
            }
        }
        return tree;
    }
}
