package dev.polar.export;

import static dev.polar.export.Column.list;
import static dev.polar.export.Column.real;
import static dev.polar.export.Column.struct;
import static dev.polar.export.Column.text;
import static dev.polar.export.Column.whole;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.polar.export.Column.Scalar;
import dev.polar.export.Column.Struct;
import dev.polar.export.Column.Type;
import dev.polar.result.ChatMessage;
import dev.polar.result.ChatMessage.Part;
import dev.polar.result.SessionTrace;
import dev.polar.wire.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Conversations for supervised fine-tuning. Every message has the same keys, and what differs from tool to tool (definitions, arguments) is JSON text, so that readers which want one type per column
 * find one. Content is text; where the user says how pictures shall stand in it, it is a list of parts instead.
 */
final class MessagesFormat implements RowFormat {
    private static final Type CALLS =
            new Struct(List.of(text("id"), text("type"), struct("function", text("name"), text("arguments"))));
    private static final Type PARTS =
            new Column.ListOf(new Struct(List.of(text("type"), text("text"), struct("image_url", text("url")))));

    private final ImageForm images;

    /** @param images null for content as text */
    MessagesFormat(ImageForm images) {
        this.images = images;
    }

    @Override
    public List<Column> columns() {
        var message = new Struct(List.of(
                text("role"),
                new Column("content", images == null ? Scalar.TEXT : PARTS),
                text("reasoning_content"),
                text("name"),
                text("tool_call_id"),
                list("tool_calls", CALLS)));
        return List.of(
                text("task_id"),
                text("session_id"),
                whole("trace"),
                text("role"),
                text("agent"),
                text("status"),
                real("reward"),
                text("finish_reason"),
                whole("prompt_messages"),
                list("messages", message),
                text("tools"));
    }

    @Override
    public Outcome row(SessionTrace of) {
        var messages = of.messages().stream().map(ChatMessage::of).toList();
        if (messages.stream().anyMatch(message -> images == null ? !message.onlyText() : hasOther(message))) {
            return new LeftOut(images == null ? "not_only_text" : "other_content");
        }
        var row = new LinkedHashMap<String, Object>();
        Place.put(row, of);
        row.put("finish_reason", of.trace().finishReason());
        row.put("prompt_messages", of.trace().promptMessages().size());
        row.put("messages", messages.stream().map(this::message).toList());
        row.put("tools", tools(of));
        return new Row(row);
    }

    private static boolean hasOther(ChatMessage message) {
        return message.parts().stream().anyMatch(Part.Other.class::isInstance);
    }

    private Map<String, Object> message(ChatMessage message) {
        var said = new LinkedHashMap<String, Object>();
        said.put("role", message.role());
        said.put("content", images == null ? message.text() : parts(message));
        said.put("reasoning_content", message.reasoning());
        said.put("name", message.name());
        said.put("tool_call_id", message.toolCallId());
        said.put(
                "tool_calls",
                message.toolCalls().isEmpty()
                        ? null
                        : message.toolCalls().stream().map(MessagesFormat::call).toList());
        return said;
    }

    private List<Map<String, Object>> parts(ChatMessage message) {
        return message.parts().stream()
                .map(part -> {
                    var said = new LinkedHashMap<String, Object>();
                    switch (part) {
                        case Part.Text words -> {
                            said.put("type", "text");
                            said.put("text", words.text());
                            said.put("image_url", null);
                        }
                        case Part.Image image -> {
                            said.put("type", "image_url");
                            said.put("text", null);
                            said.put("image_url", Map.of("url", images.address(image)));
                        }
                        case Part.Other other -> throw new IllegalStateException("left out before: " + other);
                    }
                    return (Map<String, Object>) said;
                })
                .toList();
    }

    private static Map<String, Object> call(ChatMessage.ToolCall call) {
        var said = new LinkedHashMap<String, Object>();
        said.put("id", call.id());
        said.put("type", "function");
        var function = new LinkedHashMap<String, Object>();
        function.put("name", call.name());
        function.put("arguments", call.arguments());
        said.put("function", function);
        return said;
    }

    private static String tools(SessionTrace of) {
        try {
            return of.trace().tools() == null
                    ? null
                    : Json.MAPPER.writeValueAsString(of.trace().tools());
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
