package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A streamed Anthropic message out of a whole answer. */
final class MessagesStream implements AnswerStream {
    private final ChatCall call;
    private final String id = "msg_" + Reply.randomHex();
    private boolean started;
    private int index;

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
        started = true;
        return new Frames().typed(start(MessagesEncoder.usage(0, 0, 0))).bytes();
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
    public byte[] answer(Reply reply) {
        var frames = new Frames();
        var usage = MessagesEncoder.usage(reply);
        if (!started) {
            started = true;
            frames.typed(start(usage.deepCopy().put("output_tokens", 0)));
        }
        if (MessagesEncoder.hasReasoning(reply)) {
            thinking(frames, reply.reasoning());
        }
        if (MessagesEncoder.hasText(call, reply)) {
            block(frames, block("text").put("text", ""), delta("text_delta").put("text", reply.text()));
        }
        for (var made : reply.toolCallsFor(call)) {
            var empty = MessagesEncoder.toolUse(JsonNodeFactory.instance.objectNode(), made);
            empty.putObject("input");
            block(frames, empty, delta("input_json_delta").put("partial_json", made.arguments()));
        }
        frames.typed(end(MessagesEncoder.stopReason(call, reply), reply.stopString(call), usage));
        frames.typed(JsonNodeFactory.instance.objectNode().put("type", "message_stop"));
        return frames.bytes();
    }

    private void thinking(Frames frames, String reasoning) {
        block(
                frames,
                block("thinking").put("thinking", "").put("signature", ""),
                delta("thinking_delta").put("thinking", reasoning),
                delta("signature_delta").put("signature", MessagesEncoder.signature(reasoning)));
    }

    private void block(Frames frames, ObjectNode empty, ObjectNode... deltas) {
        var start = event("content_block_start").put("index", index);
        start.set("content_block", empty);
        frames.typed(start);
        for (var delta : deltas) {
            var event = event("content_block_delta").put("index", index);
            event.set("delta", delta);
            frames.typed(event);
        }
        frames.typed(event("content_block_stop").put("index", index));
        index++;
    }

    private ObjectNode start(ObjectNode usage) {
        var message = MessagesEncoder.head(call, id);
        message.putArray("content");
        message.putNull("stop_reason").putNull("stop_sequence").set("usage", usage);
        var event = event("message_start");
        event.set("message", message);
        return event;
    }

    private static ObjectNode end(String stopReason, String stopSequence, ObjectNode usage) {
        var event = event("message_delta");
        event.putObject("delta").put("stop_reason", stopReason).put("stop_sequence", stopSequence);
        event.set("usage", usage);
        return event;
    }

    private static ObjectNode event(String type) {
        return JsonNodeFactory.instance.objectNode().put("type", type);
    }

    private static ObjectNode block(String type) {
        return event(type);
    }

    private static ObjectNode delta(String type) {
        return event(type);
    }

    @Override
    public byte[] error(Fault fault) {
        return new Frames().typed(MessagesErrors.encode(fault)).bytes();
    }
}
