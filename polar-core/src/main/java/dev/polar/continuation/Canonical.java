package dev.polar.continuation;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** JSON by its meaning: neither the order of keys nor the spelling of a number counts. */
public sealed interface Canonical {
    record Members(Map<String, Canonical> members) implements Canonical {}

    record Elements(List<Canonical> elements) implements Canonical {}

    record Number(BigDecimal value) implements Canonical {}

    record Text(String value) implements Canonical {}

    record Word(String value) implements Canonical {}

    /** A tree's meaning. */
    static Canonical of(JsonNode tree) {
        return switch (tree.getNodeType()) {
            case OBJECT -> {
                var members = new HashMap<String, Canonical>();
                tree.properties().forEach(member -> members.put(member.getKey(), of(member.getValue())));
                yield new Members(members);
            }
            case ARRAY -> {
                var elements = new ArrayList<Canonical>();
                tree.forEach(element -> elements.add(of(element)));
                yield new Elements(elements);
            }
            case NUMBER -> new Number(tree.decimalValue().stripTrailingZeros());
            case STRING -> new Text(tree.textValue());
            default -> new Word(tree.asText());
        };
    }
}
