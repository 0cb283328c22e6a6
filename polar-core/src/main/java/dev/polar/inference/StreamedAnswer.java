package dev.polar.inference;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Gathers one streamed answer. Each chunk is read once and becomes no tree: its ids and log-probabilities go to the end of the columns, its text to the sink; the rest is kept once. What comes
 * out is the same as a whole answer. For one answer; not thread-safe.
 *
 * <p>Chunks with ids and no text and chunks with several ids are usual: what was sampled is known from the columns alone, what it says from the deltas alone.
 */
final class StreamedAnswer {
    private static final byte[] DONE = "[DONE]".getBytes(StandardCharsets.US_ASCII);

    /** The same in each chunk: the first one counts. */
    private static final Set<String> HEAD = Set.of("id", "created", "model", "service_tier");

    private static final AnswerPaths.Node NOWHERE = new AnswerPaths.Node();

    private final AnswerPaths paths;
    private final String reasoningKey;
    private final boolean show;
    private final Consumer<Delta> sink;
    private final Column[] columns;
    private final ObjectNode head = JsonNodeFactory.instance.objectNode();
    private final ObjectNode rest = JsonNodeFactory.instance.objectNode();
    private final ObjectNode ofChoice = JsonNodeFactory.instance.objectNode();
    private final GrowingText text = new GrowingText();
    private final GrowingText reasoning = new GrowingText();
    private final StringBuilder refusal = new StringBuilder();
    private final StreamedCalls calls = new StreamedCalls();
    private final ArrayNode shown;
    private String finishReason;
    private boolean told;

    // of the chunk that is read
    private String moreText;
    private String moreReasoning;
    private ArrayNode moreShown;
    private boolean moreCalls;

    /**
     * @param paths of a stream's chunk
     * @param reasoningKey the engine's key of reasoning text in a message
     * @param show true where the log-probabilities are wanted as the engine shows them
     * @param sink takes what the agent may see, as it comes
     */
    StreamedAnswer(AnswerPaths paths, String reasoningKey, boolean show, Consumer<Delta> sink) {
        this.paths = paths;
        this.reasoningKey = reasoningKey;
        this.show = show;
        this.sink = sink;
        this.columns = new Column[paths.laneCount()];
        this.shown = show ? JsonNodeFactory.instance.arrayNode() : null;
    }

    /**
     * One event's data.
     *
     * @return false where it was the last
     * @throws EngineException where it says that the engine failed
     * @throws IOException where it is no chunk
     */
    boolean event(byte[] data, int offset, int length) throws IOException {
        if (Arrays.equals(data, offset, offset + length, DONE, 0, DONE.length)) {
            return false;
        }
        try (var parser = JsonTree.LENIENT.createParser(data, offset, length)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw EngineException.of(
                        EngineException.Kind.BROKEN, 502, "a chunk of the engine's stream is no JSON object", null);
            }
            chunk(parser);
        }
        tell();
        return true;
    }

    private void chunk(JsonParser parser) throws IOException {
        for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            var token = parser.nextToken();
            var node = paths.root().fields.get(name);
            switch (name) {
                case "choices" -> choices(parser, node == null ? NOWHERE : node);
                case "error" -> {
                    if (token != JsonToken.VALUE_NULL) {
                        throw EngineErrors.inStream(JsonTree.value(parser));
                    }
                }
                case "object" -> parser.skipChildren();
                default -> other(parser, name, node, HEAD.contains(name) ? head : rest);
            }
        }
    }

    private void choices(JsonParser parser, AnswerPaths.Node node) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            parser.skipChildren();
            return;
        }
        for (int index = 0; parser.nextToken() != JsonToken.END_ARRAY; index++) {
            if (index == 0 && parser.currentToken() == JsonToken.START_OBJECT) {
                var first = node.fields.get("0");
                choice(parser, first == null ? NOWHERE : first);
            } else {
                parser.skipChildren();
            }
        }
    }

    private void choice(JsonParser parser, AnswerPaths.Node node) throws IOException {
        for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            var token = parser.nextToken();
            switch (name) {
                case "delta" -> delta(parser);
                case "finish_reason" ->
                    finishReason = token == JsonToken.VALUE_STRING ? parser.getText() : finishReason;
                case "index" -> parser.skipChildren();
                default -> other(parser, name, node.fields.get(name), ofChoice);
            }
        }
    }

    /** A list that a pointer names goes to its column; of the rest, the last value that is not null is kept. */
    private void other(JsonParser parser, String name, AnswerPaths.Node node, ObjectNode into) throws IOException {
        if (node != null && leadsToList(node)) {
            walk(parser, node);
        } else if (parser.currentToken() != JsonToken.VALUE_NULL && !(into == head && into.has(name))) {
            into.set(name, JsonTree.value(parser));
        } else {
            parser.skipChildren();
        }
    }

    private static boolean leadsToList(AnswerPaths.Node node) {
        return node.elements != null || !node.fields.isEmpty();
    }

    private void walk(JsonParser parser, AnswerPaths.Node node) throws IOException {
        switch (parser.currentToken()) {
            case START_ARRAY -> {
                if (node.elements != null) {
                    collect(parser, node);
                    return;
                }
                for (int index = 0; parser.nextToken() != JsonToken.END_ARRAY; index++) {
                    walkOrSkip(parser, node.fields.get(Integer.toString(index)));
                }
            }
            case START_OBJECT -> {
                for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
                    parser.nextToken();
                    walkOrSkip(parser, node.fields.get(name));
                }
            }
            default -> {}
        }
    }

    private void walkOrSkip(JsonParser parser, AnswerPaths.Node node) throws IOException {
        if (node == null) {
            parser.skipChildren();
        } else {
            walk(parser, node);
        }
    }

    private void collect(JsonParser parser, AnswerPaths.Node node) throws IOException {
        int size = 0;
        for (var lane : node.below) {
            if (columns[lane.number()] == null) {
                columns[lane.number()] = new Column(lane.slot());
            }
            size = columns[lane.number()].size();
        }
        var best = node.below.getFirst();
        boolean seen = show && best.slot() == AnswerPaths.Slot.LOGPROBS && best.rank() == 0;
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (seen) {
                see(parser, node.elements);
            } else {
                element(parser, node.elements);
            }
            size++;
            for (var lane : node.below) {
                columns[lane.number()].padTo(size);
            }
        }
    }

    /** The agent wants to see it: it is read as a tree, and its numbers again from that tree's text. */
    private void see(JsonParser parser, AnswerPaths.Node node) throws IOException {
        var element = JsonTree.value(parser);
        if (moreShown == null) {
            moreShown = JsonNodeFactory.instance.arrayNode();
        }
        moreShown.add(element);
        shown.add(element);
        try (var again = element.traverse()) {
            again.nextToken();
            element(again, node);
        }
    }

    private void element(JsonParser parser, AnswerPaths.Node node) throws IOException {
        switch (parser.currentToken()) {
            case START_OBJECT -> {
                for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
                    parser.nextToken();
                    elementOrSkip(parser, node.fields.get(name));
                }
            }
            case START_ARRAY -> {
                for (int index = 0; parser.nextToken() != JsonToken.END_ARRAY; index++) {
                    elementOrSkip(parser, node.fields.get(Integer.toString(index)));
                }
            }
            default -> {
                if (node.lane != null) {
                    columns[node.lane.number()].add(parser);
                }
            }
        }
    }

    private void elementOrSkip(JsonParser parser, AnswerPaths.Node node) throws IOException {
        if (node == null) {
            parser.skipChildren();
        } else {
            element(parser, node);
        }
    }

    private void delta(JsonParser parser) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            parser.skipChildren();
            return;
        }
        for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            var token = parser.nextToken();
            switch (name) {
                case "content" -> moreText = token == JsonToken.VALUE_STRING ? parser.getText() : moreText;
                // some engines say the same under both keys
                case "reasoning", "reasoning_content" ->
                    moreReasoning = token == JsonToken.VALUE_STRING ? parser.getText() : moreReasoning;
                case "refusal" -> refusal.append(token == JsonToken.VALUE_STRING ? parser.getText() : "");
                case "tool_calls" -> toolCalls(parser);
                default -> parser.skipChildren();
            }
        }
    }

    private void toolCalls(JsonParser parser) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            parser.skipChildren();
            return;
        }
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            // calls are the smaller part of what is sampled: a tree of a few nodes does no harm
            var call = JsonTree.value(parser);
            var index = call.path("index");
            var function = call.path("function");
            var arguments = function.path("arguments");
            calls.add(
                    index.canConvertToInt() && index.isIntegralNumber() ? index.intValue() : null,
                    call.path("id").textValue(),
                    function.path("name").textValue(),
                    arguments.isTextual() || arguments.isMissingNode() || arguments.isNull()
                            ? arguments.textValue()
                            : arguments.toString());
            moreCalls = true;
        }
    }

    /** After a chunk: what it brought, in the order of a whole answer. */
    private void tell() {
        if (moreShown != null) {
            say(new Delta.Logprobs(moreShown));
            moreShown = null;
        }
        if (moreReasoning != null) {
            reasoning.append(moreReasoning);
            moreReasoning = null;
            sayReasoning(false);
        }
        if (moreText != null) {
            text.append(moreText);
            moreText = null;
            sayText(false);
        }
        if (moreCalls) {
            moreCalls = false;
            calls.tell(this::say, false);
        }
    }

    private void sayReasoning(boolean end) {
        var more = reasoning.next(end);
        if (!more.isEmpty()) {
            say(new Delta.Reasoning(more));
        }
    }

    private void sayText(boolean end) {
        var more = text.next(end);
        if (!more.isEmpty()) {
            say(new Delta.Text(more));
        }
    }

    private void say(Delta delta) {
        if (!told) {
            told = true;
            var prompt = paths.best(columns, AnswerPaths.Slot.PROMPT_IDS);
            sink.accept(new Delta.Begin(head.deepCopy(), prompt == null ? 0 : prompt.size()));
        }
        sink.accept(delta);
    }

    /** True once there is something of it that would be lost. */
    boolean begun() {
        var sampled = paths.best(columns, AnswerPaths.Slot.SAMPLED_IDS);
        return told || sampled != null && sampled.size() > 0;
    }

    /**
     * The stream has ended.
     *
     * @param terminated whether its last event was there
     * @throws EngineException where that was not all of the answer
     */
    EngineAnswer end(boolean terminated) {
        if (finishReason == null || !terminated) {
            throw EngineException.of(
                    EngineException.Kind.BROKEN,
                    502,
                    // the words by which some agents know that they may try again
                    "connection error: the inference server's stream ended "
                            + (finishReason == null
                                    ? "before the answer had: it gives no finish reason"
                                    : "without its last event"),
                    null);
        }
        sayReasoning(true);
        sayText(true);
        calls.tell(this::say, true);
        return soFar();
    }

    /** What has come, as a whole answer would have it. */
    EngineAnswer soFar() {
        var body = JsonNodeFactory.instance.objectNode();
        body.setAll(head);
        body.put("object", "chat.completion");
        var choice = body.putArray("choices").addObject().put("index", 0);
        var message = choice.putObject("message").put("role", "assistant");
        message.put("content", text.isEmpty() && !calls.isEmpty() ? null : text.toString());
        if (!refusal.isEmpty()) {
            message.put("refusal", refusal.toString());
        }
        if (!reasoning.isEmpty()) {
            message.put(reasoningKey, reasoning.toString());
        }
        if (!calls.isEmpty()) {
            calls.write(message.putArray("tool_calls"));
        }
        choice.setAll(ofChoice);
        choice.put("finish_reason", finishReason);
        body.setAll(rest);
        return paths.answer(body, columns, shown);
    }
}
