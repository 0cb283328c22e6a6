package dev.polar.inference;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.EngineProfile.AnswerPointers;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads answers by a profile's pointers in one pass. Lists that a pointer names (and what else stands in their elements) never become a tree. Thread-safe.
 */
final class AnswerParser {
    private final Node root = new Node();
    private final List<List<Lane>> lanes = new ArrayList<>();
    private final List<JsonPointer> matchedStop;
    private final List<JsonPointer> cachedTokens;
    private final List<String> weightVersion;
    private int laneCount;

    /** What a list holds. */
    enum Slot {
        PROMPT_IDS,
        SAMPLED_IDS,
        LOGPROBS,
        TOKEN_TEXTS
    }

    /** One pointer of a slot; {@code rank} 0 counts first. */
    record Lane(int number, Slot slot, int rank) {}

    /** A step of the pointers. {@code elements} is the step {@code *}. */
    private static final class Node {
        private final Map<String, Node> fields = new HashMap<>();
        private Node elements;
        private final List<Lane> below = new ArrayList<>();
        private Lane lane;
    }

    AnswerParser(AnswerPointers pointers) {
        compile(Slot.PROMPT_IDS, pointers.promptIds());
        compile(Slot.SAMPLED_IDS, pointers.sampledIds());
        compile(Slot.LOGPROBS, pointers.logprobs());
        compile(Slot.TOKEN_TEXTS, pointers.tokenTexts());
        matchedStop = pointers.matchedStop().stream().map(JsonPointer::compile).toList();
        cachedTokens =
                pointers.cachedTokens().stream().map(JsonPointer::compile).toList();
        weightVersion = pointers.weightVersion();
    }

    private void compile(Slot slot, List<String> pointers) {
        var ofSlot = new ArrayList<Lane>();
        for (int rank = 0; rank < pointers.size(); rank++) {
            var pointer = pointers.get(rank);
            var lane = new Lane(laneCount++, slot, rank);
            ofSlot.add(lane);
            var node = root;
            for (var step : (pointer.contains("/*") ? pointer : pointer + "/*")
                    .substring(1)
                    .split("/")) {
                if (step.equals("*")) {
                    node.below.add(lane);
                    node.elements = node.elements == null ? new Node() : node.elements;
                    node = node.elements;
                } else {
                    node = node.fields.computeIfAbsent(
                            step.replace("~1", "/").replace("~0", "~"), ignored -> new Node());
                }
            }
            node.lane = lane;
        }
        lanes.add(ofSlot);
    }

    /**
     * @param show true where the elements of the log-probabilities' list are wanted as a tree too
     * @throws IOException where the connection broke or this is no JSON
     * @throws EngineException where the JSON is no answer
     */
    EngineAnswer parse(InputStream in, boolean show) throws IOException {
        try (var parser = JsonTree.LENIENT.createParser(in)) {
            var run = new Run(parser, laneCount, show);
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw EngineException.of(
                        EngineException.Kind.BROKEN, 502, "the engine's answer is no JSON object", null);
            }
            var body = (ObjectNode) run.tree(root);
            return finish(body, run);
        }
    }

    private EngineAnswer finish(ObjectNode body, Run run) {
        if (!(body.path("choices").path(0) instanceof ObjectNode)) {
            var error = EngineErrors.message(body);
            throw EngineException.of(
                    error == null ? EngineException.Kind.BROKEN : EngineException.Kind.FAILED,
                    502,
                    error == null ? "the engine's answer has no choices" : error,
                    null);
        }
        var stop = first(body, matchedStop);
        var cached = first(body, cachedTokens);
        return new EngineAnswer(
                body,
                ids(run.best(lanes.get(0))),
                ids(run.best(lanes.get(1))),
                doubles(run.best(lanes.get(2))),
                texts(run.best(lanes.get(3))),
                versions(body),
                stop,
                cached != null && cached.canConvertToInt() ? cached.intValue() : -1,
                run.shown);
    }

    private static JsonNode first(JsonNode body, List<JsonPointer> pointers) {
        for (var pointer : pointers) {
            var found = body.at(pointer);
            if (!found.isMissingNode() && !found.isNull()) {
                return found;
            }
        }
        return null;
    }

    private List<String> versions(JsonNode body) {
        for (var pointer : weightVersion) {
            int star = pointer.indexOf("/*");
            var found = new ArrayList<String>();
            if (star < 0) {
                add(found, body.at(pointer));
            } else {
                for (var element : body.at(pointer.substring(0, star))) {
                    add(found, element.at(pointer.substring(star + 2)));
                }
            }
            if (!found.isEmpty()) {
                return List.copyOf(found);
            }
        }
        return List.of();
    }

    private static void add(List<String> versions, JsonNode version) {
        if (version.isValueNode() && !version.isNull()) {
            versions.add(version.asText());
        }
    }

    private static int[] ids(Column column) {
        return column == null || column.broken ? null : column.ints();
    }

    private static double[] doubles(Column column) {
        return column == null ? null : column.doubles();
    }

    private static String[] texts(Column column) {
        return column == null ? null : column.texts.toArray(String[]::new);
    }

    /** One parse. */
    private static final class Run {
        private final JsonParser parser;
        private final Column[] columns;
        private final boolean show;
        private JsonNode shown;

        Run(JsonParser parser, int lanes, boolean show) {
            this.parser = parser;
            this.columns = new Column[lanes];
            this.show = show;
        }

        /** The value at the current token without the lists that are collected; null where nothing of it is left. */
        JsonNode tree(Node node) throws IOException {
            if (node == null) {
                return JsonTree.value(parser);
            }
            if (node.elements != null && parser.currentToken() == JsonToken.START_ARRAY) {
                collect(node);
                return null;
            }
            return switch (parser.currentToken()) {
                case START_OBJECT -> {
                    var object = JsonNodeFactory.instance.objectNode();
                    for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
                        parser.nextToken();
                        var value = tree(node.fields.get(name));
                        if (value != null) {
                            object.set(name, value);
                        }
                    }
                    yield object;
                }
                case START_ARRAY -> {
                    var array = JsonNodeFactory.instance.arrayNode();
                    for (int index = 0; parser.nextToken() != JsonToken.END_ARRAY; index++) {
                        var value = tree(node.fields.get(Integer.toString(index)));
                        if (value != null) {
                            array.add(value);
                        }
                    }
                    yield array;
                }
                default -> JsonTree.value(parser);
            };
        }

        private void collect(Node node) throws IOException {
            if (node.below.stream().allMatch(this::known)) {
                parser.skipChildren();
                return;
            }
            for (var lane : node.below) {
                columns[lane.number] = new Column(lane.slot);
            }
            if (show && node.below.getFirst().slot == Slot.LOGPROBS && node.below.getFirst().rank == 0) {
                collectShown(node);
                return;
            }
            for (int size = 1; parser.nextToken() != JsonToken.END_ARRAY; size++) {
                element(node.elements);
                for (var lane : node.below) {
                    columns[lane.number].padTo(size);
                }
            }
        }

        /** The agent wants to see it: each element is read as a tree, and its numbers again from that tree's text. */
        private void collectShown(Node node) throws IOException {
            var list = JsonNodeFactory.instance.arrayNode();
            for (int size = 1; parser.nextToken() != JsonToken.END_ARRAY; size++) {
                var element = JsonTree.value(parser);
                list.add(element);
                try (var again = element.traverse()) {
                    again.nextToken();
                    new Run(again, columns).element(node.elements);
                }
                for (var lane : node.below) {
                    columns[lane.number].padTo(size);
                }
            }
            shown = list;
        }

        private Run(JsonParser parser, Column[] columns) {
            this.parser = parser;
            this.columns = columns;
            this.show = false;
        }

        private boolean known(Lane lane) {
            // lanes of a slot have neighbouring numbers, best first
            for (int better = lane.number - lane.rank; better < lane.number; better++) {
                if (columns[better] != null) {
                    return true;
                }
            }
            return false;
        }

        private void element(Node node) throws IOException {
            if (node == null) {
                parser.skipChildren();
                return;
            }
            switch (parser.currentToken()) {
                case START_OBJECT -> {
                    for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
                        parser.nextToken();
                        element(node.fields.get(name));
                    }
                }
                case START_ARRAY -> {
                    for (int index = 0; parser.nextToken() != JsonToken.END_ARRAY; index++) {
                        element(node.fields.get(Integer.toString(index)));
                    }
                }
                default -> {
                    if (node.lane != null) {
                        columns[node.lane.number].add(parser);
                    }
                }
            }
        }

        /** The best lane that was there. */
        Column best(List<Lane> ofSlot) {
            for (var lane : ofSlot) {
                if (columns[lane.number] != null) {
                    return columns[lane.number];
                }
            }
            return null;
        }
    }
}
