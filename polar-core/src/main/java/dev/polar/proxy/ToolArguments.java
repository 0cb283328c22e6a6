package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.polar.inference.JsonTree;
import java.io.IOException;

/** Arguments of a tool call as a model wrote them. */
final class ToolArguments {
    private ToolArguments() {}

    /** Their tree; a missing node where they are no JSON. */
    static JsonNode tree(String arguments) {
        try {
            return JsonTree.read(arguments);
        } catch (IOException notJson) {
            return MissingNode.getInstance();
        }
    }
}
