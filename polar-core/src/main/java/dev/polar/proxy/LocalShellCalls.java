package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.Set;

/** The vendor's local shell: a function for the model, an action for the agent. */
final class LocalShellCalls {
    private static final Set<String> KEPT = Set.of("command", "env", "timeout_ms", "user", "working_directory");

    private LocalShellCalls() {}

    static ObjectNode schema() {
        var schema = JsonNodeFactory.instance.objectNode().put("type", "object");
        var properties = schema.putObject("properties");
        var command = properties.putObject("command");
        command.put("type", "array").put("description", "The program and its arguments.");
        command.putObject("items").put("type", "string");
        properties.putObject("working_directory").put("type", "string");
        properties
                .putObject("timeout_ms")
                .put("type", "integer")
                .put("description", "The command is stopped after so many milliseconds.");
        schema.putArray("required").add("command");
        return schema;
    }

    /** The action that the model's arguments ask for; nothing where they name no command. */
    static Optional<ObjectNode> action(String arguments) {
        var asked = ToolArguments.tree(arguments);
        var command = asked.path("command");
        if (!command.isArray() || command.isEmpty()) {
            return Optional.empty();
        }
        for (var word : command) {
            if (!word.isTextual()) {
                return Optional.empty();
            }
        }
        var action = JsonNodeFactory.instance.objectNode().put("type", "exec");
        action.set("command", command);
        action.set("env", asked.path("env").isObject() ? asked.get("env") : JsonNodeFactory.instance.objectNode());
        if (asked.path("timeout_ms").canConvertToLong()
                && asked.path("timeout_ms").isIntegralNumber()) {
            action.set("timeout_ms", asked.get("timeout_ms"));
        }
        for (var key : new String[] {"user", "working_directory"}) {
            if (asked.path(key).isTextual()) {
                action.set(key, asked.get(key));
            }
        }
        return Optional.of(action);
    }

    /** What identifies an action: agents leave out of the rest what is empty. */
    static String shown(JsonNode action) {
        return MessagesDecoder.text(action.path("command"));
    }

    /** The function's arguments for an action that the model did not write here. */
    static String arguments(JsonNode action) {
        var arguments = JsonNodeFactory.instance.objectNode();
        for (var member : action.properties()) {
            var value = member.getValue();
            if (KEPT.contains(member.getKey()) && !value.isNull() && !(value.isObject() && value.isEmpty())) {
                arguments.set(member.getKey(), value);
            }
        }
        return MessagesDecoder.text(arguments);
    }
}
