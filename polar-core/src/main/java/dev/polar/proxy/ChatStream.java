package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.Delta;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A streamed Chat Completion, out of a whole answer or of what is there of it. Not thread-safe. */
final class ChatStream implements AnswerStream {
    private static final byte[] DONE = "[DONE]".getBytes(StandardCharsets.US_ASCII);

    /** A bare chunk: comments do not reset every agent's timer. */
    private static final byte[] KEEP_ALIVE = new Frames()
            .data("{\"choices\":[{\"index\":0,\"delta\":{}}]}".getBytes(StandardCharsets.US_ASCII))
            .bytes();

    private final ChatCall call;
    private ObjectNode head;
    private ArrayNode logprobs = JsonNodeFactory.instance.arrayNode();

    ChatStream(ChatCall call) {
        this.call = call;
    }

    @Override
    public String contentType() {
        return Frames.CONTENT_TYPE;
    }

    @Override
    public byte[] open() {
        return KEEP_ALIVE;
    }

    @Override
    public byte[] keepAlive() {
        return KEEP_ALIVE;
    }

    @Override
    public byte[] probe() {
        return Frames.COMMENT;
    }

    @Override
    public byte[] relay(List<Delta> deltas) {
        var frames = new Frames();
        deltas.forEach(delta -> relay(frames, delta));
        return frames.bytes();
    }

    private void relay(Frames frames, Delta delta) {
        switch (delta) {
            case Delta.Begin begin -> {
                head = begin.head();
                role(frames);
            }
            case Delta.Reasoning more -> frames.data(chunk(object().put("reasoning_content", more.text()), null));
            case Delta.Text more -> frames.data(withLogprobs(chunk(object().put("content", more.text()), null)));
            case Delta.Logprobs more -> logprobs.addAll(more.entries());
            case Delta.Call begun -> {
                var made = new Reply.ToolCall(begun.id(), begun.name(), "");
                frames.data(calls(ChatEncoder.toolCall(object().put("index", begun.number()), made)));
            }
            case Delta.Arguments more -> {
                var call = object().put("index", more.number());
                call.putObject("function").put("arguments", more.text());
                frames.data(calls(call));
            }
        }
    }

    private void role(Frames frames) {
        frames.data(chunk(object().put("role", "assistant").put("content", ""), null));
    }

    private ObjectNode calls(JsonNode... calls) {
        var delta = object();
        delta.putArray("tool_calls").addAll(List.of(calls));
        return chunk(delta, null);
    }

    /** The tokens that came with no text are told with the text after them. */
    private ObjectNode withLogprobs(ObjectNode chunk) {
        if (!logprobs.isEmpty()) {
            var shown = ((ObjectNode) chunk.get("choices").get(0)).putObject("logprobs");
            shown.set("content", logprobs);
            shown.putNull("refusal");
            logprobs = JsonNodeFactory.instance.arrayNode();
        }
        return chunk;
    }

    @Override
    public byte[] answer(Reply reply) {
        var frames = new Frames();
        boolean relayed = head != null;
        head = reply.answer().body();
        if (!relayed) {
            all(frames, reply);
        } else if (!logprobs.isEmpty()) {
            frames.data(withLogprobs(chunk(object(), null)));
        }
        frames.data(chunk(object(), ChatEncoder.finishReason(reply)));
        if (call.wishes().usageInStream()) {
            var last = ChatEncoder.head(call, head, "chat.completion.chunk");
            last.putArray("choices");
            last.set("usage", ChatEncoder.usage(reply));
            frames.data(last);
        }
        return frames.data(DONE).bytes();
    }

    private void all(Frames frames, Reply reply) {
        role(frames);
        if (reply.reasoning() != null && !reply.reasoning().isEmpty()) {
            frames.data(chunk(object().put("reasoning_content", reply.reasoning()), null));
        }
        boolean wanted = call.wishes().logprobs();
        if (reply.text() != null && (wanted || !reply.text().isEmpty())) {
            var text = chunk(object().put("content", reply.text()), null);
            if (wanted) {
                ((ObjectNode) text.get("choices").get(0)).set("logprobs", ChatEncoder.logprobs(call, reply));
            }
            frames.data(text);
        }
        var calls = ChatEncoder.indexed(call, reply);
        if (!calls.isEmpty()) {
            var delta = object();
            delta.set("tool_calls", calls);
            frames.data(chunk(delta, null));
        }
    }

    private ObjectNode chunk(ObjectNode delta, String finishReason) {
        var chunk = ChatEncoder.head(call, head, "chat.completion.chunk");
        var choice = chunk.putArray("choices").addObject();
        choice.put("index", 0);
        choice.set("delta", delta);
        choice.putNull("logprobs");
        choice.put("finish_reason", finishReason);
        if (call.wishes().usageInStream()) {
            chunk.putNull("usage");
        }
        return chunk;
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    @Override
    public byte[] error(Fault fault) {
        return new Frames().data(OpenAiErrors.encode(fault)).bytes();
    }
}
