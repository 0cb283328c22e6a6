package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.Delta;
import java.util.List;

/** A streamed Anthropic message, out of a whole answer or of what is there of it. One block is open at a time. Not thread-safe. */
final class MessagesStream implements AnswerStream {
    private final ChatCall call;
    private final String id = "msg_" + Reply.randomHex();
    private final StringBuilder thought = new StringBuilder();
    private boolean started;
    private boolean relayed;
    private Block block = Block.NONE;
    private int index;

    /** What is open. */
    private enum Block {
        NONE,
        THINKING,
        TEXT,
        TOOL_USE
    }

    MessagesStream(ChatCall call) {
        this.call = call;
    }

    @Override
    public String contentType() {
        return Frames.CONTENT_TYPE;
    }

    /** The message starts before the engine has answered: its usage follows in the end. */
    @Override
    public byte[] open() {
        var frames = new Frames();
        start(frames, MessagesEncoder.usage(0, 0, 0));
        return frames.bytes();
    }

    /** Pings alone do not keep every agent waiting. */
    @Override
    public byte[] keepAlive() {
        return new Frames()
                .typed(end(null, null, MessagesEncoder.usage(0, 0, 0)))
                .bytes();
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
                relayed = true;
                start(frames, MessagesEncoder.usage(begin.promptTokens(), 0, 0));
            }
            case Delta.Reasoning more -> {
                open(frames, Block.THINKING);
                thought.append(more.text());
                delta(frames, object("thinking_delta").put("thinking", more.text()));
            }
            case Delta.Text more -> {
                open(frames, Block.TEXT);
                delta(frames, object("text_delta").put("text", more.text()));
            }
            case Delta.Call begun -> open(frames, new Reply.ToolCall(begun.id(), begun.name(), ""));
            case Delta.Arguments more -> arguments(frames, more.text());
            case Delta.Logprobs _ -> {} // this dialect has none
        }
    }

    @Override
    public byte[] answer(Reply reply) {
        var frames = new Frames();
        var usage = MessagesEncoder.usage(reply);
        start(frames, usage.deepCopy().put("output_tokens", 0));
        if (!relayed) {
            all(frames, reply);
        }
        close(frames);
        frames.typed(end(MessagesEncoder.stopReason(call, reply), reply.stopString(call), usage));
        frames.typed(object("message_stop"));
        return frames.bytes();
    }

    private void all(Frames frames, Reply reply) {
        if (MessagesEncoder.hasReasoning(reply)) {
            open(frames, Block.THINKING);
            thought.append(reply.reasoning());
            delta(frames, object("thinking_delta").put("thinking", reply.reasoning()));
        }
        if (MessagesEncoder.hasText(call, reply)) {
            open(frames, Block.TEXT);
            delta(frames, object("text_delta").put("text", reply.text()));
        }
        for (var made : reply.toolCallsFor(call)) {
            open(frames, made);
            arguments(frames, made.arguments());
        }
    }

    private void open(Frames frames, Block kind) {
        if (block == kind) {
            return;
        }
        var empty = kind == Block.THINKING
                ? object("thinking").put("thinking", "").put("signature", "")
                : object("text").put("text", "");
        open(frames, kind, empty);
    }

    private void open(Frames frames, Reply.ToolCall made) {
        var empty = MessagesEncoder.toolUse(JsonNodeFactory.instance.objectNode(), made);
        empty.putObject("input");
        open(frames, Block.TOOL_USE, empty);
    }

    private void open(Frames frames, Block kind, ObjectNode empty) {
        close(frames);
        block = kind;
        var start = object("content_block_start").put("index", index);
        start.set("content_block", empty);
        frames.typed(start);
    }

    private void arguments(Frames frames, String text) {
        delta(frames, object("input_json_delta").put("partial_json", text));
    }

    private void delta(Frames frames, ObjectNode delta) {
        var event = object("content_block_delta").put("index", index);
        event.set("delta", delta);
        frames.typed(event);
    }

    private void close(Frames frames) {
        if (block == Block.NONE) {
            return;
        }
        if (block == Block.THINKING) {
            delta(frames, object("signature_delta").put("signature", MessagesEncoder.signature(thought.toString())));
            thought.setLength(0);
        }
        frames.typed(object("content_block_stop").put("index", index));
        index++;
        block = Block.NONE;
    }

    private void start(Frames frames, ObjectNode usage) {
        if (!started) {
            started = true;
            frames.typed(start(usage));
        }
    }

    private ObjectNode start(ObjectNode usage) {
        var message = MessagesEncoder.head(call, id);
        message.putArray("content");
        message.putNull("stop_reason").putNull("stop_sequence").set("usage", usage);
        var event = object("message_start");
        event.set("message", message);
        return event;
    }

    private static ObjectNode end(String stopReason, String stopSequence, ObjectNode usage) {
        var event = object("message_delta");
        event.putObject("delta").put("stop_reason", stopReason).put("stop_sequence", stopSequence);
        event.set("usage", usage);
        return event;
    }

    private static ObjectNode object(String type) {
        return JsonNodeFactory.instance.objectNode().put("type", type);
    }

    @Override
    public byte[] error(Fault fault) {
        return new Frames().typed(MessagesErrors.encode(fault)).bytes();
    }
}
