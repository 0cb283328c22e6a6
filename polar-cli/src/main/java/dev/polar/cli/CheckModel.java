package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.wire.Json;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * A model that does a small task with whatever agent: it looks for a tool that runs command lines by the names of its parameters, calls it once in each of three turns, and says that it is done.
 * Without such a tool, or without tools, it answers in words. Stateless.
 */
final class CheckModel implements Policy {
    /** What the instruction asks for. */
    static final String INSTRUCTION =
            "Write the word done into the file polar-check.txt, look whether it is there, and say so.";

    /** The names that agents give the parameter that takes a command line. */
    private static final Set<String> COMMAND_LINES = Set.of("command", "cmd", "script", "commands", "command_line");

    private static final List<String> STEPS = List.of("pwd", "echo done > polar-check.txt", "cat polar-check.txt");
    private static final String LAST_WORDS = "The file polar-check.txt is there, and holds the word done.";

    @Override
    public Decision decide(JsonNode request, RandomGenerator random) {
        int answered = 0;
        for (var message : request.path("messages")) {
            answered += message.path("role").asText().equals("assistant") ? 1 : 0;
        }
        var line = answered < STEPS.size() ? STEPS.get(answered) : null;
        var call = line == null ? Optional.<Answer.Call>empty() : call(request.path("tools"), line);
        return new Decision(
                call.<Answer>map(made -> new Answer.Message("", "Step " + STEPS.indexOf(line) + ".", List.of(made)))
                        .orElseGet(() -> Answer.text(LAST_WORDS)));
    }

    private static Optional<Answer.Call> call(JsonNode tools, String line) {
        for (var tool : tools) {
            var function = tool.path("function");
            var parameters = function.path("parameters");
            for (var parameter : parameters.path("properties").properties()) {
                if (COMMAND_LINES.contains(parameter.getKey())) {
                    var arguments = required(parameters);
                    set(arguments, parameter.getKey(), parameter.getValue(), line);
                    return Optional.of(new Answer.Call(function.path("name").asText(), arguments));
                }
            }
        }
        return Optional.empty();
    }

    private static void set(ObjectNode arguments, String key, JsonNode schema, String line) {
        if (schema.path("type").asText().equals("array")) {
            arguments.putArray(key).add("sh").add("-c").add(line);
        } else {
            arguments.put(key, line);
        }
    }

    /** Something of the right type for each parameter that must be there. */
    private static ObjectNode required(JsonNode parameters) {
        var arguments = Json.MAPPER.createObjectNode();
        for (var name : parameters.path("required")) {
            var schema = parameters.path("properties").path(name.asText());
            if (schema.path("enum").isArray() && !schema.path("enum").isEmpty()) {
                arguments.set(name.asText(), schema.path("enum").get(0));
                continue;
            }
            switch (schema.path("type").asText()) {
                case "boolean" -> arguments.put(name.asText(), false);
                case "integer", "number" -> arguments.put(name.asText(), 10_000);
                case "array" -> arguments.putArray(name.asText());
                case "object" -> arguments.putObject(name.asText());
                default -> arguments.put(name.asText(), "a step of the check");
            }
        }
        return arguments;
    }
}
