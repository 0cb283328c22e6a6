package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The events of one Responses stream: their numbers rise by one, and each of an item's names the item. An item is opened, told in deltas and closed; one is open at a time. Not thread-safe.
 */
final class ResponsesEvents {
    private Frames frames = new Frames();
    private int sequence;
    private int outputIndex = -1;
    private String itemId;

    /** What was said since the last time. */
    byte[] take() {
        var bytes = frames.bytes();
        frames = new Frames();
        return bytes;
    }

    /** An event about the whole response. */
    void response(String type, ObjectNode response) {
        var event = event(type);
        event.set("response", response);
        frames.typed(event);
    }

    /** Starts the next item. @param empty the item before anything of it is there */
    void open(ObjectNode empty) {
        outputIndex++;
        itemId = empty.path("id").asText();
        var event = event("response.output_item.added").put("output_index", outputIndex);
        event.set("item", empty);
        frames.typed(event);
    }

    /** Ends it. @param item as it is in the final response */
    void close(ObjectNode item) {
        var event = event("response.output_item.done").put("output_index", outputIndex);
        event.set("item", item);
        frames.typed(event);
    }

    /** Starts a part of the open item: {@code content} or {@code summary}. */
    void openPart(Part kind, int index, JsonNode empty) {
        part(kind.part + ".added", kind, index, empty);
    }

    void closePart(Part kind, int index, JsonNode part) {
        part(kind.part + ".done", kind, index, part);
    }

    private void part(String type, Part kind, int index, JsonNode part) {
        var event = ofItem(type).put(kind.index, index);
        event.set("part", part);
        frames.typed(event);
    }

    /** More of a part's text. */
    void delta(Text text, int index, String delta) {
        var event = ofItem(text.type + ".delta").put(text.part.index, index).put("delta", delta);
        if (text == Text.OUTPUT) {
            event.putArray("logprobs");
        }
        frames.typed(event);
    }

    /** All of it; its log-probabilities where there are any. */
    void done(Text text, int index, String whole, JsonNode logprobs) {
        var event = ofItem(text.type + ".done").put(text.part.index, index).put(text.key, whole);
        if (text == Text.OUTPUT) {
            event.set("logprobs", logprobs);
        }
        frames.typed(event);
    }

    /** More of what the open call is called with. */
    void delta(Arguments arguments, String delta) {
        frames.typed(ofItem(arguments.type + ".delta").put("delta", delta));
    }

    void done(Arguments arguments, String name, String whole) {
        var event = ofItem(arguments.type + ".done").put(arguments.key, whole);
        if (arguments == Arguments.FUNCTION) {
            event.put("name", name);
        }
        frames.typed(event);
    }

    private ObjectNode ofItem(String type) {
        return event(type).put("item_id", itemId).put("output_index", outputIndex);
    }

    private ObjectNode event(String type) {
        return JsonNodeFactory.instance.objectNode().put("type", type).put("sequence_number", sequence++);
    }

    /** Where parts stand in their item. */
    enum Part {
        CONTENT("response.content_part", "content_index"),
        SUMMARY("response.reasoning_summary_part", "summary_index");

        private final String part;
        private final String index;

        Part(String part, String index) {
            this.part = part;
            this.index = index;
        }
    }

    /** Texts that parts hold. */
    enum Text {
        OUTPUT("response.output_text", "text", Part.CONTENT),
        REFUSAL("response.refusal", "refusal", Part.CONTENT),
        REASONING("response.reasoning_text", "text", Part.CONTENT),
        SUMMARY("response.reasoning_summary_text", "text", Part.SUMMARY);

        private final String type;
        private final String key;
        private final Part part;

        Text(String type, String key, Part part) {
            this.type = type;
            this.key = key;
            this.part = part;
        }

        Part part() {
            return part;
        }

        /** The {@code type} of its part. */
        String partType() {
            return this == SUMMARY ? "summary_text" : type.substring("response.".length());
        }

        String key() {
            return key;
        }
    }

    /** What calls are called with. */
    enum Arguments {
        FUNCTION("response.function_call_arguments", "arguments"),
        CUSTOM("response.custom_tool_call_input", "input");

        private final String type;
        private final String key;

        Arguments(String type, String key) {
            this.type = type;
            this.key = key;
        }

        String key() {
            return key;
        }
    }
}
