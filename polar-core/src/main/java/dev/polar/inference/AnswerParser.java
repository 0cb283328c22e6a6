package dev.polar.inference;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.EngineProfile.AnswerPointers;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reads answers by a profile's pointers in one pass. Lists that a pointer names (and what else stands in their elements) never become a tree. Thread-safe.
 */
final class AnswerParser {
    private final AnswerPaths paths;

    AnswerParser(AnswerPointers pointers) {
        paths = new AnswerPaths(pointers);
    }

    /**
     * @param show true where the elements of the log-probabilities' list are wanted as a tree too
     * @throws IOException where the connection broke or this is no JSON
     * @throws EngineException where the JSON is no answer
     */
    EngineAnswer parse(InputStream in, boolean show) throws IOException {
        try (var parser = JsonTree.LENIENT.createParser(in)) {
            var run = new Run(parser, paths.laneCount(), show);
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw EngineException.of(
                        EngineException.Kind.BROKEN, 502, "the engine's answer is no JSON object", null);
            }
            var body = (ObjectNode) run.tree(paths.root());
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
        return paths.answer(body, run.columns, run.shown);
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
        JsonNode tree(AnswerPaths.Node node) throws IOException {
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

        private void collect(AnswerPaths.Node node) throws IOException {
            if (node.below.stream().allMatch(this::known)) {
                parser.skipChildren();
                return;
            }
            for (var lane : node.below) {
                columns[lane.number()] = new Column(lane.slot());
            }
            if (show
                    && node.below.getFirst().slot() == AnswerPaths.Slot.LOGPROBS
                    && node.below.getFirst().rank() == 0) {
                collectShown(node);
                return;
            }
            for (int size = 1; parser.nextToken() != JsonToken.END_ARRAY; size++) {
                element(node.elements);
                for (var lane : node.below) {
                    columns[lane.number()].padTo(size);
                }
            }
        }

        /** The agent wants to see it: each element is read as a tree, and its numbers again from that tree's text. */
        private void collectShown(AnswerPaths.Node node) throws IOException {
            var list = JsonNodeFactory.instance.arrayNode();
            for (int size = 1; parser.nextToken() != JsonToken.END_ARRAY; size++) {
                var element = JsonTree.value(parser);
                list.add(element);
                try (var again = element.traverse()) {
                    again.nextToken();
                    new Run(again, columns).element(node.elements);
                }
                for (var lane : node.below) {
                    columns[lane.number()].padTo(size);
                }
            }
            shown = list;
        }

        private Run(JsonParser parser, Column[] columns) {
            this.parser = parser;
            this.columns = columns;
            this.show = false;
        }

        private boolean known(AnswerPaths.Lane lane) {
            // lanes of a slot have neighbouring numbers, best first
            for (int better = lane.number() - lane.rank(); better < lane.number(); better++) {
                if (columns[better] != null) {
                    return true;
                }
            }
            return false;
        }

        private void element(AnswerPaths.Node node) throws IOException {
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
                        columns[node.lane.number()].add(parser);
                    }
                }
            }
        }
    }
}
