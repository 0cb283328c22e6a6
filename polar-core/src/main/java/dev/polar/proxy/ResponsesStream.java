package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.Delta;
import java.util.List;

/** A streamed Responses answer, out of a whole one or of what is there of it. Not thread-safe. */
final class ResponsesStream implements AnswerStream {
    private final ChatCall call;
    private final AgentSession session;
    private final ResponsesEvents events = new ResponsesEvents();
    private ResponsesGrowth growing;
    private boolean started;

    ResponsesStream(ChatCall call, AgentSession session) {
        this.call = call;
        this.session = session;
    }

    @Override
    public String contentType() {
        return Frames.CONTENT_TYPE;
    }

    @Override
    public byte[] open() {
        start();
        return events.take();
    }

    private void start() {
        if (!started) {
            started = true;
            var response = ResponsesEncoder.response(call, "in_progress");
            events.response("response.created", response);
            events.response("response.in_progress", response);
        }
    }

    /** Comments do not reset every agent's timer. */
    @Override
    public byte[] keepAlive() {
        events.response("response.in_progress", ResponsesEncoder.response(call, "in_progress"));
        return events.take();
    }

    @Override
    public byte[] probe() {
        return Frames.COMMENT;
    }

    @Override
    public byte[] relay(List<Delta> deltas) {
        start();
        if (growing == null) {
            growing = new ResponsesGrowth(events, new ResponsesItems(call, session), this::item);
        }
        deltas.forEach(growing::relay);
        return events.take();
    }

    @Override
    public byte[] answer(Reply reply) {
        start();
        List<ObjectNode> output;
        if (growing == null) {
            output = new ResponsesItems(call, session).of(reply);
            output.forEach(this::item);
        } else {
            output = growing.end(reply);
        }
        var response = ResponsesEncoder.answer(call, reply, output);
        events.response("response." + response.path("status").asText(), response);
        return events.take();
    }

    private void item(ObjectNode item) {
        switch (item.path("type").asText()) {
            case "reasoning" -> reasoning(item);
            case "message" -> message(item);
            case "function_call" -> toolCall(item, ResponsesEvents.Arguments.FUNCTION);
            case "custom_tool_call" -> toolCall(item, ResponsesEvents.Arguments.CUSTOM);
            default -> {
                events.open(beginning(item));
                events.close(item);
            }
        }
    }

    static ObjectNode beginning(ObjectNode item) {
        return item.objectNode().<ObjectNode>setAll(item).put("status", "in_progress");
    }

    private void reasoning(ObjectNode item) {
        var empty = beginning(item);
        empty.putArray("summary");
        empty.putArray("content");
        empty.remove("encrypted_content");
        events.open(empty);
        for (int i = 0; i < item.path("summary").size(); i++) {
            part(ResponsesEvents.Text.SUMMARY, i, item.path("summary").get(i));
        }
        for (int i = 0; i < item.path("content").size(); i++) {
            part(ResponsesEvents.Text.REASONING, i, item.path("content").get(i));
        }
        events.close(item);
    }

    private void message(ObjectNode item) {
        var empty = beginning(item);
        empty.putArray("content");
        events.open(empty);
        var content = (ArrayNode) item.get("content");
        for (int i = 0; i < content.size(); i++) {
            var part = content.get(i);
            boolean refusal = part.path("type").asText().equals("refusal");
            part(refusal ? ResponsesEvents.Text.REFUSAL : ResponsesEvents.Text.OUTPUT, i, part);
        }
        events.close(item);
    }

    private void part(ResponsesEvents.Text text, int index, JsonNode part) {
        var whole = part.path(text.key()).asText();
        var empty = ((ObjectNode) part)
                .objectNode()
                .<ObjectNode>setAll((ObjectNode) part)
                .put(text.key(), "");
        if (part.has("logprobs")) {
            empty.putArray("logprobs");
        }
        events.openPart(text.part(), index, empty);
        if (!whole.isEmpty()) {
            events.delta(text, index, whole);
        }
        events.done(text, index, whole, part.path("logprobs"));
        events.closePart(text.part(), index, part);
    }

    private void toolCall(ObjectNode item, ResponsesEvents.Arguments arguments) {
        events.open(beginning(item).put(arguments.key(), ""));
        var whole = item.path(arguments.key()).asText();
        if (!whole.isEmpty()) {
            events.delta(arguments, whole);
        }
        events.done(arguments, item.path("name").asText(), whole);
        events.close(item);
    }

    /** An event of the type {@code error} would be passed over. */
    @Override
    public byte[] error(Fault fault) {
        start();
        events.response("response.failed", ResponsesEncoder.failed(call, fault));
        return events.take();
    }
}
