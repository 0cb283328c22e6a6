package dev.polar.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** JSON from outside with a key that is not known. */
public final class UnknownKeyException extends BindingException {
    private static final long serialVersionUID = 1L;

    /** Keys and indexes from the bound tree to the key. */
    private final List<Object> steps;

    UnknownKeyException(String path, List<Object> steps, String problem) {
        super(path, problem);
        this.steps = List.copyOf(steps);
    }

    /** Takes the key out of the tree that was bound; false where it is not there. */
    public boolean removeFrom(ObjectNode tree) {
        JsonNode parent = tree;
        for (var step : steps.subList(0, steps.size() - 1)) {
            parent = step instanceof Integer index ? parent.path(index) : parent.path((String) step);
        }
        return parent instanceof ObjectNode object && object.remove((String) steps.getLast()) != null;
    }
}
