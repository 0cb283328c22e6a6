package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.topology.Specs;
import dev.polar.topology.YamlFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** A task in YAML or JSON. Paths in it are relative to its folder. */
final class TaskFile {
    private static final Map<String, String> PATHS = Map.of(
            "harness", "agent.harness",
            "runtime backend", "runtime.backend",
            "evaluator", "evaluator.strategy",
            "builder", "builder.strategy");
    private static final Pattern UNKNOWN = Pattern.compile("unknown (harness|runtime backend|evaluator|builder) '.*");

    private final YamlFile yaml;

    private TaskFile(YamlFile yaml) {
        this.yaml = yaml;
    }

    /**
     * Reads it and looks whether what it uploads is there.
     *
     * @throws dev.polar.topology.TopologyException with its line, where it cannot be read or an upload's source is missing
     */
    static TaskFile read(Path file) {
        var yaml = YamlFile.read(file);
        if (yaml.root().isEmpty()) {
            throw new UserException(file + ": is empty; a task was expected (task_id, instruction, agent, ...)");
        }
        Specs.resolvePaths(yaml.root(), yaml.folder());
        return new TaskFile(yaml);
    }

    /** The task's body; the caller's to change. */
    ObjectNode body() {
        return yaml.root();
    }

    /** The task's id, or an empty string. */
    String id() {
        return body().path("task_id").asText();
    }

    /** Refuses uploads whose source is missing on this machine; only right where the server runs on it too. */
    void checkSources() {
        for (var steps : new String[] {"prepare", "eval_prepare"}) {
            var index = 0;
            for (var step : body().path("runtime").path(steps)) {
                var source = step.path("source").asText("");
                if (!source.isEmpty() && !Files.exists(Path.of(source))) {
                    throw yaml.refuse(
                            "runtime." + steps + "[" + index + "].source",
                            "there is no '" + source + "' to upload; make it, or correct the path");
                }
                index++;
            }
        }
    }

    /** Why no session of a finished task got as far as its agent, where it is one reason for all: then the task or the node is at fault; empty otherwise. */
    Optional<UserException> neverStarted(JsonNode task) {
        var errors = new HashSet<String>();
        for (var result : task.path("results")) {
            var ran = result.at("/metadata/timing_detail/agent_exec_ms").asDouble() > 0;
            if (ran || !"ERROR".equals(result.path("status").asText())) {
                return Optional.empty();
            }
            errors.add(result.path("error").asText(""));
        }
        if (errors.size() != 1 || !"completed".equals(task.path("status").asText())) {
            return Optional.empty();
        }
        var error = errors.iterator().next();
        var unknown = UNKNOWN.matcher(error);
        if (!unknown.lookingAt()) {
            return Optional.of(new UserException(yaml.file() + ": no session could start its agent: " + error));
        }
        var path = PATHS.get(unknown.group(1));
        return Optional.of(new UserException(yaml.place(path) + ": " + path + ": " + unknown.group()
                + "; correct the name, or put its plugin into the plugin folder (polar plugins lists what is there)"));
    }

    /** The line for a refusal of the server whose detail starts with a path. */
    UserException refusal(String detail) {
        var colon = detail.indexOf(": ");
        var path = colon < 0 ? "" : detail.substring(0, colon);
        return new UserException(
                (path.matches("[A-Za-z0-9_.\\[\\]-]+") ? yaml.place(path) : yaml.file()) + ": " + detail);
    }
}
