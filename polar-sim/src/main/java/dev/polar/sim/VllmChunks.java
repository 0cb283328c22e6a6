package dev.polar.sim;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** vLLM's streamed answers. Chunks leave out what was never set, and keep what is null. Not thread-safe. */
final class VllmChunks implements Dialect.Chunks {
    private final SimOptions options;
    private final VllmAnswers answers;
    private final Generation generation;
    private final ChatRequest request;
    private final boolean withIds;
    private final long created = Instant.now().getEpochSecond();
    private final List<Line> lines = new ArrayList<>();
    private int sampled;

    /** What is kept of one choice between its chunks. */
    private static final class Line {
        private final AnswerStream parser;
        private final LogprobEntries entries;
        private final StringBuilder text = new StringBuilder();
        private final List<Integer> ids = new ArrayList<>();
        private ArrayNode logprobs = Json.array();
        private boolean begun;

        private Line(AnswerStream parser, LogprobEntries entries) {
            this.parser = parser;
            this.entries = entries;
        }
    }

    VllmChunks(SimOptions options, VllmAnswers answers, Generation generation) {
        this.options = options;
        this.answers = answers;
        this.generation = generation;
        this.request = generation.request();
        this.withIds = request.flag("return_token_ids");
        boolean tools = options.toolParser() && !(request.toolChoice() instanceof ToolChoice.None);
        generation
                .lines()
                .forEach(line -> lines.add(
                        new Line(new AnswerStream(options.reasoning(), tools), VllmAnswers.entries(generation))));
    }

    /** The role chunk of each choice comes together with its first token. */
    @Override
    public void begin(EventStream out) {}

    @Override
    public void step(EventStream out, int index, Step step) throws IOException {
        Line line = lines.get(index);
        boolean first = !line.begun;
        if (first) {
            line.begun = true;
            out.send(role(index));
        }
        line.text.append(step.text());
        if (step.hasToken()) {
            sampled++;
            line.ids.add(step.id());
            line.logprobs.add(line.entries.next(step.id()));
        }
        if (first || step.finish() != null || line.ids.size() >= request.streamInterval()) {
            out.send(chunk(index, line, step.finish()));
            line.text.setLength(0);
            line.ids.clear();
            line.logprobs = Json.array();
        }
    }

    @Override
    public void end(EventStream out) throws IOException {
        if (request.includeUsage()) {
            ObjectNode usage = envelope();
            usage.putArray("choices");
            usage.set("usage", counts());
            out.send(usage.put("system_fingerprint", answers.fingerprint()));
        }
    }

    private ObjectNode role(int index) {
        ObjectNode choice = Json.object().put("index", index);
        choice.set("delta", Json.object().put("role", "assistant").put("content", ""));
        choice.putNull("logprobs").putNull("finish_reason");
        ObjectNode chunk = envelope();
        chunk.putArray("choices").add(choice);
        usage(chunk);
        chunk.set("prompt_token_ids", Json.idsOrNull(withIds, generation.promptIds()));
        return chunk.putNull("prompt_text");
    }

    private ObjectNode chunk(int index, Line line, Finish finish) {
        ObjectNode choice = Json.object().put("index", index);
        choice.set("delta", delta(line.parser.append(line.text.toString(), finish != null)));
        if (request.logprobs()) {
            choice.set("logprobs", Json.object().set("content", line.logprobs));
        } else {
            choice.putNull("logprobs");
        }
        if (finish == null) {
            choice.putNull("finish_reason");
        } else {
            choice.put("finish_reason", finishReason(line, finish));
            VllmAnswers.stopReason(choice, finish);
        }
        choice.set(
                "token_ids",
                Json.idsOrNull(
                        withIds, line.ids.stream().mapToInt(Integer::intValue).toArray()));
        ObjectNode chunk = envelope();
        chunk.putArray("choices").add(choice);
        usage(chunk);
        return finish != null && !request.includeUsage()
                ? chunk.put("system_fingerprint", answers.fingerprint())
                : chunk;
    }

    /** Unlike a whole answer, a stream that was cut by length does not call itself a call. */
    private String finishReason(Line line, Finish finish) {
        return finish.reason().equals("stop")
                ? VllmAnswers.finishReason(finish, line.parser.calls() > 0, request)
                : finish.reason();
    }

    private ObjectNode delta(List<AnswerStream.Piece> pieces) {
        StringBuilder reasoning = new StringBuilder();
        StringBuilder content = new StringBuilder();
        ArrayNode calls = Json.array();
        for (AnswerStream.Piece piece : pieces) {
            switch (piece) {
                case AnswerStream.Piece.Reasoning(String text) -> reasoning.append(text);
                case AnswerStream.Piece.Content(String text) -> content.append(text);
                case AnswerStream.Piece.CallName(int index, String name)
                when shown(index) -> calls.add(name(index, name));
                case AnswerStream.Piece.CallArguments(int index, String text)
                when shown(index) -> calls.add(arguments(index, text));
                case AnswerStream.Piece.CallName _,
                        AnswerStream.Piece.CallArguments _ -> {} // all but the first call, where only one is allowed
            }
        }
        ObjectNode delta = Json.object();
        if (!content.isEmpty() && !request.toolChoice().forced()) {
            delta.put("content", content.toString());
        } else if (!calls.isEmpty()) {
            delta.putNull("content");
        }
        if (!calls.isEmpty()) {
            delta.set("tool_calls", calls);
        }
        if (!reasoning.isEmpty() && request.body().path("include_reasoning").asBoolean(true)) {
            delta.put("reasoning", reasoning.toString());
        }
        return delta;
    }

    private boolean shown(int index) {
        return index == 0 || request.parallelToolCalls();
    }

    private static ObjectNode name(int index, String name) {
        ObjectNode call =
                Json.object().put("id", Ids.vllmTool()).put("type", "function").put("index", index);
        return call.set("function", Json.object().put("name", name));
    }

    private static ObjectNode arguments(int index, String text) {
        return Json.object().put("index", index).set("function", Json.object().put("arguments", text));
    }

    private ObjectNode envelope() {
        return Json.object()
                .put("id", generation.id())
                .put("object", "chat.completion.chunk")
                .put("created", created)
                .put("model", options.model());
    }

    private void usage(ObjectNode chunk) {
        if (request.continuousUsage()) {
            chunk.set("usage", counts().putNull("completion_tokens_details"));
        }
    }

    private ObjectNode counts() {
        int prompt = generation.promptIds().length;
        return Json.object()
                .put("prompt_tokens", prompt)
                .put("total_tokens", prompt + sampled)
                .put("completion_tokens", sampled);
    }
}
