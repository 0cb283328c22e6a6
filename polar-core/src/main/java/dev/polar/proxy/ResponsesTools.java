package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The tools of a Responses request: each is a function for the model, and has its own form for the agent. For one request. */
final class ResponsesTools {
    /** Run by the vendor's cloud, or in a form of its own that agents ask for where their model was trained on it. */
    private static final Set<String> HOSTED = Set.of(
            "web_search",
            "web_search_preview",
            "file_search",
            "image_generation",
            "code_interpreter",
            "computer_use_preview",
            "computer",
            "mcp",
            "tool_search",
            "shell",
            "apply_patch");

    private static final String INPUT = "input";

    private final ArrayNode functions = JsonNodeFactory.instance.arrayNode();
    private final Map<String, AgentTool> byFunction = new HashMap<>();
    private final Map<Place, String> functionOf = new HashMap<>();
    private final Set<String> hosted = new LinkedHashSet<>();

    private record Place(String namespace, String name) {}

    /** Adds a list of tools; one that is known already is passed over. */
    void add(JsonNode tools, String path) {
        add(tools, null, path);
    }

    private void add(JsonNode tools, String namespace, String path) {
        if (tools.isMissingNode() || tools.isNull()) {
            return;
        }
        if (!tools.isArray()) {
            throw RefusedException.invalid(path, "must be a list");
        }
        for (int i = 0; i < tools.size(); i++) {
            tool(tools.get(i), namespace, path + "[" + i + "]");
        }
    }

    private void tool(JsonNode tool, String namespace, String path) {
        var type = tool.path("type").asText("");
        switch (type) {
            case "function" -> {
                var function = function(
                        new AgentTool.Function(namespace, name(tool, path)), description(tool), parameters(tool, path));
                if (tool.path("strict").asBoolean(false)) {
                    function.put("strict", true);
                }
            }
            case "custom" -> custom(tool, namespace, path);
            case AgentTool.LocalShell.NAME ->
                function(
                        new AgentTool.LocalShell(),
                        "Runs a command on the machine and returns its output.",
                        LocalShellCalls.schema());
            case "namespace" -> namespace(tool, namespace, path);
            case "" -> throw RefusedException.invalid(path + ".type", "is required");
            default -> {
                if (!HOSTED.contains(type)) {
                    throw RefusedException.invalid(path, "a tool of type '" + type + "' cannot be served here");
                }
                hosted.add(type);
            }
        }
    }

    private void namespace(JsonNode tool, String within, String path) {
        if (within != null) {
            throw RefusedException.invalid(path, "a namespace cannot stand in another one");
        }
        int before = functions.size();
        add(tool.path("tools"), name(tool, path), path + ".tools");
        var about = description(tool);
        if (!about.isEmpty() && functions.size() > before) {
            // engines know no namespaces: its first tool speaks for it
            var first = (ObjectNode) functions.get(before).get("function");
            var own = first.path("description").asText("");
            first.put("description", own.isEmpty() ? about : about + "\n\n" + own);
        }
    }

    private static String name(JsonNode tool, String path) {
        var name = tool.path("name").textValue();
        if (name == null || name.isEmpty()) {
            throw RefusedException.invalid(path + ".name", "is required");
        }
        return name;
    }

    private static String description(JsonNode tool) {
        return tool.path("description").asText("");
    }

    private static JsonNode parameters(JsonNode tool, String path) {
        var parameters = tool.path("parameters");
        if (parameters.isMissingNode() || parameters.isNull()) {
            return objectSchema();
        }
        if (!parameters.isObject()) {
            throw RefusedException.invalid(path + ".parameters", "must be an object");
        }
        return parameters;
    }

    private void custom(JsonNode tool, String namespace, String path) {
        var description = new StringBuilder(description(tool));
        var format = tool.path("format");
        if (format.path("type").asText("").equals("grammar")) {
            description
                    .append(description.isEmpty() ? "" : "\n\n")
                    .append("The input must follow this ")
                    .append(format.path("syntax").asText(""))
                    .append(" grammar:\n")
                    .append(format.path("definition").asText(""));
        }
        var schema = objectSchema();
        schema.withObjectProperty("properties").putObject(INPUT).put("type", "string");
        schema.putArray("required").add(INPUT);
        schema.put("additionalProperties", false);
        function(new AgentTool.Custom(namespace, name(tool, path)), description.toString(), schema);
    }

    private static ObjectNode objectSchema() {
        var schema = JsonNodeFactory.instance.objectNode().put("type", "object");
        schema.putObject("properties");
        return schema;
    }

    /** The function's own node, or a loose one where the tool is known already. */
    private ObjectNode function(AgentTool tool, String description, JsonNode parameters) {
        var function = JsonNodeFactory.instance.objectNode();
        var place = new Place(tool.namespace(), tool.name());
        if (functionOf.containsKey(place)) {
            return function;
        }
        var name = free(flat(place));
        functionOf.put(place, name);
        byFunction.put(name, tool);
        functions.addObject().put("type", "function").set("function", function);
        function.put("name", name);
        if (!description.isEmpty()) {
            function.put("description", description);
        }
        function.set("parameters", parameters);
        return function;
    }

    private static String flat(Place place) {
        if (place.namespace == null) {
            return place.name;
        }
        return place.namespace + (place.namespace.endsWith("_") ? "" : "__") + place.name;
    }

    private String free(String wanted) {
        var name = wanted;
        for (int i = 2; byFunction.containsKey(name); i++) {
            name = wanted + "_" + i;
        }
        return name;
    }

    /** As the engine takes them. */
    ArrayNode functions() {
        return functions;
    }

    /** Types of tools that were left out. */
    Set<String> hosted() {
        return hosted;
    }

    /** The agent's tool behind a function that the model called, whether there is one or not. */
    AgentTool tool(String function) {
        var tool = byFunction.get(function);
        return tool == null ? new AgentTool.Function(null, function) : tool;
    }

    /**
     * The function behind a tool that the agent names, whether there is one or not.
     *
     * @param namespace may be null
     */
    String function(String namespace, String name) {
        var place = new Place(namespace, name);
        var function = functionOf.get(place);
        return function == null ? flat(place) : function;
    }

    /** The arguments of a custom tool's function. */
    static String customArguments(String input) {
        return MessagesDecoder.text(JsonNodeFactory.instance.objectNode().put(INPUT, input));
    }

    /** The text that the model wrote for a custom tool: all that it wrote, where it did not keep to the function. */
    static String customInput(String arguments) {
        var input = ToolArguments.tree(arguments).path(INPUT);
        return input.isTextual() ? input.textValue() : arguments;
    }
}
