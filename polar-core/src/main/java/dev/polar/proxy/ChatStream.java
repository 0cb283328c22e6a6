package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;

/** A streamed Chat Completion out of a whole answer. */
final class ChatStream implements AnswerStream {
    private static final byte[] DONE = "[DONE]".getBytes(StandardCharsets.US_ASCII);

    /** A bare chunk: comments do not reset every agent's timer. */
    private static final byte[] KEEP_ALIVE = new Frames()
            .data("{\"choices\":[{\"index\":0,\"delta\":{}}]}".getBytes(StandardCharsets.US_ASCII))
            .bytes();

    private final ChatCall call;

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
    public byte[] answer(Reply reply) {
        var frames = new Frames();
        var role =
                JsonNodeFactory.instance.objectNode().put("role", "assistant").put("content", "");
        frames.data(chunk(reply, role, null));
        if (reply.reasoning() != null && !reply.reasoning().isEmpty()) {
            frames.data(chunk(
                    reply, JsonNodeFactory.instance.objectNode().put("reasoning_content", reply.reasoning()), null));
        }
        boolean logprobs = call.wishes().logprobs();
        if (reply.text() != null && (logprobs || !reply.text().isEmpty())) {
            var text = chunk(reply, JsonNodeFactory.instance.objectNode().put("content", reply.text()), null);
            if (logprobs) {
                ((ObjectNode) text.get("choices").get(0)).set("logprobs", ChatEncoder.logprobs(call, reply));
            }
            frames.data(text);
        }
        var calls = ChatEncoder.indexed(call, reply);
        if (!calls.isEmpty()) {
            var delta = JsonNodeFactory.instance.objectNode();
            delta.set("tool_calls", calls);
            frames.data(chunk(reply, delta, null));
        }
        frames.data(chunk(reply, JsonNodeFactory.instance.objectNode(), ChatEncoder.finishReason(reply)));
        if (call.wishes().usageInStream()) {
            var last = ChatEncoder.head(call, reply.answer().body(), "chat.completion.chunk");
            last.putArray("choices");
            last.set("usage", ChatEncoder.usage(reply));
            frames.data(last);
        }
        return frames.data(DONE).bytes();
    }

    private ObjectNode chunk(Reply reply, ObjectNode delta, String finishReason) {
        var chunk = ChatEncoder.head(call, reply.answer().body(), "chat.completion.chunk");
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

    @Override
    public byte[] error(Fault fault) {
        return new Frames().data(OpenAiErrors.encode(fault)).bytes();
    }
}
