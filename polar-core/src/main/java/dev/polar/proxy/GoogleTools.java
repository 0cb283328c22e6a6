package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Google's tools and what it says of their use. For one request. */
final class GoogleTools {
    /** Before the name of a tool that the vendor's cloud would run. */
    static final String HOSTED_RULE = "hosted_tool:";

    private static final Set<String> HOSTED = Set.of(
            "googleSearch",
            "googleSearchRetrieval",
            "codeExecution",
            "urlContext",
            "googleMaps",
            "fileSearch",
            "enterpriseWebSearch",
            "retrieval",
            "parallelAiSearch");

    /** Of a declaration: what its caller does with it, or how its results look. */
    private static final Set<String> CALLERS = Set.of("response", "responseJsonSchema", "behavior");

    private final ArrayNode tools = JsonNodeFactory.instance.arrayNode();
    private final List<String> dropped;

    GoogleTools(List<String> dropped) {
        this.dropped = dropped;
    }

    /** Adds {@code tools} and {@code tool_choice} to an engine's request. */
    void decode(ObjectNode request, JsonNode sent, JsonNode config) {
        var list = GoogleFields.list(sent, "tools");
        for (int i = 0; i < list.size(); i++) {
            tool(list.get(i), "tools[" + i + "]");
        }
        var toolConfig = GoogleFields.optional(config, "toolConfig");
        choice(request, toolConfig.path("functionCallingConfig"));
        for (var member : toolConfig.properties()) {
            if (!member.getKey().equals("functionCallingConfig")) {
                dropped.add("tool_config");
            }
        }
        if (!tools.isEmpty()) {
            request.set("tools", tools);
        }
    }

    private void tool(JsonNode sent, String path) {
        for (var member : GoogleFields.of(sent, path).properties()) {
            var kind = member.getKey();
            if (kind.equals("functionDeclarations")) {
                var declarations = GoogleFields.list(member.getValue(), path + ".functionDeclarations");
                for (int i = 0; i < declarations.size(); i++) {
                    declaration(declarations.get(i), path + ".functionDeclarations[" + i + "]");
                }
            } else if (HOSTED.contains(kind)) {
                dropped.add(HOSTED_RULE + kind);
            } else {
                throw RefusedException.invalid(
                        path, "the tool '" + kind + "' cannot be served here: declare functions");
            }
        }
    }

    private void declaration(JsonNode sent, String path) {
        var fields = GoogleFields.of(sent, path);
        if (!fields.path("name").isTextual()) {
            throw RefusedException.invalid(path + ".name", "is required");
        }
        var function = tools.addObject().put("type", "function").putObject("function");
        function.set("name", fields.get("name"));
        var description = GoogleFields.text(fields.path("description"), path + ".description");
        if (!description.isEmpty()) {
            function.put("description", description);
        }
        for (var member : fields.properties()) {
            if (CALLERS.contains(member.getKey())) {
                dropped.add("function_" + member.getKey());
            }
        }
        var key = fields.has("parametersJsonSchema") ? "parametersJsonSchema" : "parameters";
        if (fields.has(key)) {
            function.set("parameters", GoogleSchemas.jsonSchema(fields.get(key), path + "." + key));
        } else {
            function.putObject("parameters").put("type", "object").putObject("properties");
        }
    }

    private void choice(ObjectNode request, JsonNode sent) {
        var path = "toolConfig.functionCallingConfig";
        var fields = GoogleFields.optional(sent, path);
        var allowed = allowed(fields, path + ".allowedFunctionNames");
        switch (GoogleFields.text(fields.path("mode"), path + ".mode")) {
            case "", "MODE_UNSPECIFIED" -> {
                // the engine's own default
            }
            case "AUTO" -> request.put("tool_choice", "auto");
            case "NONE" -> request.put("tool_choice", "none");
            case "ANY" -> {
                only(allowed);
                if (allowed.size() == 1) {
                    request.putObject("tool_choice")
                            .put("type", "function")
                            .putObject("function")
                            .put("name", allowed.iterator().next());
                } else {
                    request.put("tool_choice", "required");
                }
            }
            case "VALIDATED" -> {
                only(allowed);
                dropped.add("validated_mode");
                request.put("tool_choice", "auto");
            }
            default -> throw RefusedException.invalid(path + ".mode", "must be AUTO, ANY, NONE or VALIDATED");
        }
    }

    private Set<String> allowed(ObjectNode fields, String path) {
        var allowed = new LinkedHashSet<String>();
        for (var name : GoogleFields.list(fields.path("allowedFunctionNames"), path)) {
            if (!declared(name.textValue())) {
                throw RefusedException.invalid(path, "names '" + name.asText() + "', which is not declared in tools");
            }
            allowed.add(name.textValue());
        }
        return allowed;
    }

    private boolean declared(String name) {
        for (var tool : tools) {
            if (tool.path("function").path("name").textValue().equals(name)) {
                return true;
            }
        }
        return false;
    }

    /** No engine takes a list of tools beside another of those that may be called. */
    private void only(Set<String> allowed) {
        if (allowed.isEmpty()) {
            return;
        }
        for (var tool = tools.iterator(); tool.hasNext(); ) {
            if (!allowed.contains(tool.next().path("function").path("name").textValue())) {
                tool.remove();
            }
        }
    }
}
