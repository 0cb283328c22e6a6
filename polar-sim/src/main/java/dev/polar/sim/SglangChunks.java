package dev.polar.sim;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * SGLang's streamed answers: finish reasons, ids and usage come in chunks of their own after the text. Where no parser is configured, a step without text sends nothing,
 * and its log-probability is lost; with one it has a chunk of its own. Not thread-safe.
 */
final class SglangChunks implements Dialect.Chunks {
    private final SimOptions options;
    private final SglangAnswers answers;
    private final Generation generation;
    private final ChatRequest request;
    private final boolean framed;
    private final boolean tools;
    private final long created = Instant.now().getEpochSecond();
    private final List<Line> lines = new ArrayList<>();
    private int sampled;

    private static final class Line {
        private final AnswerStream parser;
        private final LogprobEntries entries;
        private final List<Integer> offered = new ArrayList<>();
        private boolean begun;

        private Line(AnswerStream parser, LogprobEntries entries) {
            this.parser = parser;
            this.entries = entries;
        }
    }

    /**
     * A writer for one answer.
     *
     * @param framed whether the chunk of ids is an event with a name
     */
    SglangChunks(SimOptions options, SglangAnswers answers, Generation generation, boolean framed) {
        this.options = options;
        this.answers = answers;
        this.generation = generation;
        this.request = generation.request();
        this.framed = framed;
        this.tools = SglangAnswers.parsesTools(options, request);
        generation
                .lines()
                .forEach(line -> lines.add(
                        new Line(new AnswerStream(options.reasoning(), tools), SglangAnswers.entries(generation))));
    }

    @Override
    public void begin(EventStream out) {}

    @Override
    public void step(EventStream out, int index, Step step) throws IOException {
        Line line = lines.get(index);
        if (!line.begun) {
            line.begun = true;
            out.send(chunk(
                    index,
                    Json.object()
                            .putNull("reasoning_content")
                            .put("role", "assistant")
                            .put("content", ""),
                    null));
        }
        ArrayNode logprobs = null;
        if (step.hasToken()) {
            sampled++;
            logprobs = Json.array().add(line.entries.next(step.id()));
        }
        boolean carried = false;
        for (AnswerStream.Piece piece : line.parser.append(step.text(), step.finish() != null)) {
            boolean carries = !carried
                    && (piece instanceof AnswerStream.Piece.Reasoning
                            || (piece instanceof AnswerStream.Piece.Content && !tools));
            for (ObjectNode chunk : chunks(index, line, piece, carries ? logprobs : null)) {
                out.send(chunk);
            }
            carried |= carries;
        }
        boolean flushes = options.toolParser() || options.reasoning();
        if (!carried && flushes && logprobs != null && request.logprobs()) {
            out.send(chunk(index, Json.object().putNull("reasoning_content"), logprobs));
        }
    }

    @Override
    public void end(EventStream out) throws IOException {
        for (int index = 0; index < lines.size(); index++) {
            out.send(finish(index));
        }
        ObjectNode extension = SglangAnswers.extension(generation);
        if (!extension.isEmpty()) {
            ObjectNode chunk = envelope();
            chunk.putArray("choices");
            chunk.putNull("usage").set("sglext", extension);
            if (framed) {
                out.send("sglext_ids", chunk);
            } else {
                out.send(chunk);
            }
        }
        if (request.includeUsage()) {
            ObjectNode chunk = envelope();
            chunk.putArray("choices");
            out.send(chunk.set("usage", answers.usage(generation)));
        }
    }

    private ObjectNode finish(int index) {
        Finish finish = generation.lines().get(index).finish();
        boolean renamed = !lines.get(index).offered.isEmpty() && finish.reason().equals("stop");
        ObjectNode choice = Json.object().put("index", index);
        choice.set("delta", Json.object().putNull("reasoning_content"));
        choice.putNull("logprobs").put("finish_reason", renamed ? "tool_calls" : finish.reason());
        SglangAnswers.matchedStop(choice, finish);
        ObjectNode chunk = envelope();
        chunk.putArray("choices").add(choice);
        return chunk;
    }

    /** None for a call of a tool that was not offered: the engine leaves it out, and numbers the others without it. */
    private List<ObjectNode> chunks(int index, Line line, AnswerStream.Piece piece, ArrayNode logprobs) {
        return switch (piece) {
            case AnswerStream.Piece.Reasoning(String text) ->
                List.of(chunk(index, Json.object().put("reasoning_content", text), logprobs));
            case AnswerStream.Piece.Content(String text) when tools -> List.of(toolChunk(index, text, null));
            case AnswerStream.Piece.Content(String text) ->
                List.of(chunk(index, Json.object().putNull("reasoning_content").put("content", text), logprobs));
            case AnswerStream.Piece.CallName(int call, String name) -> {
                if (!request.offers(name)) {
                    yield List.of();
                }
                line.offered.add(call);
                yield List.of(toolChunk(index, null, call(line.offered.size() - 1, Ids.sglangTool(), name, "")));
            }
            case AnswerStream.Piece.CallArguments(int call, String text) -> {
                int number = line.offered.indexOf(call);
                yield number < 0 ? List.of() : List.of(toolChunk(index, null, call(number, null, null, text)));
            }
        };
    }

    private static ObjectNode call(int index, String id, String name, String arguments) {
        ObjectNode call = Json.object().put("id", id).put("index", index).put("type", "function");
        return call.set("function", Json.object().put("name", name).put("arguments", arguments));
    }

    /** Chunks of the tool parser name all keys of a delta, null or not. */
    private ObjectNode toolChunk(int index, String content, ObjectNode call) {
        ObjectNode delta = Json.object().putNull("role").put("content", content).putNull("reasoning_content");
        if (call == null) {
            delta.putNull("tool_calls");
        } else {
            delta.putArray("tool_calls").add(call);
        }
        ObjectNode chunk = chunk(index, delta, null);
        return chunk.has("usage") ? chunk : chunk.putNull("usage");
    }

    private ObjectNode chunk(int index, ObjectNode delta, ArrayNode logprobs) {
        ObjectNode choice = Json.object().put("index", index);
        choice.set("delta", delta);
        if (logprobs == null || !request.logprobs()) {
            choice.putNull("logprobs");
        } else {
            choice.set("logprobs", Json.object().set("content", logprobs));
        }
        choice.putNull("finish_reason").putNull("matched_stop");
        ObjectNode chunk = envelope();
        chunk.putArray("choices").add(choice);
        if (request.continuousUsage()) {
            chunk.set("usage", SglangAnswers.usage(generation.promptIds().length, sampled, 0));
        }
        return chunk;
    }

    private ObjectNode envelope() {
        return Json.object()
                .put("id", generation.id())
                .put("object", "chat.completion.chunk")
                .put("created", created)
                .put("model", options.model());
    }
}
