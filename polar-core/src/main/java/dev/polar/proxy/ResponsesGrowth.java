package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.Delta;
import java.util.List;
import java.util.function.Consumer;

/**
 * The items of a Responses answer that is still being sampled. One is open at a time; its text is told as it comes, except that of a call whose form can be told only from all of its arguments.
 * For one answer; not thread-safe.
 */
final class ResponsesGrowth {
    private final ResponsesEvents events;
    private final ResponsesItems items;
    private final Consumer<ObjectNode> whole;
    private final StringBuilder text = new StringBuilder();
    private ArrayNode logprobs = JsonNodeFactory.instance.arrayNode();
    private Open open = Open.NOTHING;
    private ObjectNode item;
    private Delta.Call begun;

    private enum Open {
        NOTHING,
        REASONING,
        MESSAGE,
        /** A call whose arguments are told. */
        CALL,
        /** A call that is told when it is whole. */
        HELD_CALL
    }

    /** @param whole tells an item from its beginning to its end */
    ResponsesGrowth(ResponsesEvents events, ResponsesItems items, Consumer<ObjectNode> whole) {
        this.events = events;
        this.items = items;
        this.whole = whole;
    }

    void relay(Delta delta) {
        switch (delta) {
            case Delta.Begin _ -> {} // what it says is known from the request
            case Delta.Reasoning more -> {
                openReasoning();
                text.append(more.text());
                events.delta(thoughts(), 0, more.text());
            }
            case Delta.Text more -> {
                openMessage();
                text.append(more.text());
                events.delta(ResponsesEvents.Text.OUTPUT, 0, more.text());
            }
            case Delta.Logprobs more -> logprobs.addAll(more.entries());
            case Delta.Call call -> openCall(call);
            case Delta.Arguments more -> {
                text.append(more.text());
                if (open == Open.CALL) {
                    events.delta(ResponsesEvents.Arguments.FUNCTION, more.text());
                }
            }
        }
    }

    /** @return all items */
    List<ObjectNode> end(Reply reply) {
        boolean cut = reply.finishReason().equals("length");
        close(cut);
        items.refused(reply).ifPresent(whole);
        if (items.lacksMessage(reply)) {
            whole.accept(items.message(reply));
        }
        return items.end(reply);
    }

    private ResponsesEvents.Text thoughts() {
        return items.summarized() ? ResponsesEvents.Text.SUMMARY : ResponsesEvents.Text.REASONING;
    }

    private void openReasoning() {
        if (open == Open.REASONING) {
            return;
        }
        close(false);
        open = Open.REASONING;
        item = items.reasoning();
        events.open(ResponsesStream.beginning(item));
        openPart(
                thoughts(),
                JsonNodeFactory.instance.objectNode().put("type", thoughts().partType()));
    }

    private void openMessage() {
        if (open == Open.MESSAGE) {
            return;
        }
        close(false);
        open = Open.MESSAGE;
        item = items.message();
        events.open(ResponsesStream.beginning(item));
        openPart(ResponsesEvents.Text.OUTPUT, ResponsesItems.outputText(""));
    }

    private void openPart(ResponsesEvents.Text kind, ObjectNode empty) {
        events.openPart(kind.part(), 0, empty.put(kind.key(), ""));
    }

    private void openCall(Delta.Call call) {
        close(false);
        begun = call;
        var opened = items.openCall(call);
        item = opened.orElse(null);
        open = opened.isPresent() ? Open.CALL : Open.HELD_CALL;
        opened.ifPresent(empty -> events.open(ResponsesStream.beginning(empty)));
    }

    /** @param cut true where the answer ended at its limit, in this item */
    private void close(boolean cut) {
        var all = text.toString();
        text.setLength(0);
        switch (open) {
            case NOTHING -> {}
            case REASONING -> {
                items.fill(item, all);
                closeReasoning(all);
            }
            case MESSAGE -> {
                items.fill(item, all, logprobs);
                logprobs = JsonNodeFactory.instance.arrayNode();
                closePart(ResponsesEvents.Text.OUTPUT, all);
            }
            case CALL -> {
                items.fill(item, new Reply.ToolCall(begun.id(), begun.name(), all));
                events.done(
                        ResponsesEvents.Arguments.FUNCTION, item.path("name").asText(), all);
            }
            case HELD_CALL -> {
                var made = items.toolCall(new Reply.ToolCall(begun.id(), begun.name(), all));
                whole.accept(status(made, cut));
            }
        }
        if (open != Open.NOTHING && open != Open.HELD_CALL) {
            events.close(status(item, cut));
        }
        open = Open.NOTHING;
    }

    private static ObjectNode status(ObjectNode item, boolean cut) {
        return cut ? item.put("status", "incomplete") : item;
    }

    /** Where the thoughts were told as a summary, they are told once more as what they are. */
    private void closeReasoning(String all) {
        closePart(thoughts(), all);
        if (items.summarized()) {
            var empty = JsonNodeFactory.instance.objectNode().put("type", ResponsesEvents.Text.REASONING.partType());
            openPart(ResponsesEvents.Text.REASONING, empty);
            events.delta(ResponsesEvents.Text.REASONING, 0, all);
            closePart(ResponsesEvents.Text.REASONING, all);
        }
    }

    private void closePart(ResponsesEvents.Text kind, String all) {
        var part = item.path(kind.part() == ResponsesEvents.Part.SUMMARY ? "summary" : "content")
                .path(0);
        events.done(kind, 0, all, part.path("logprobs"));
        events.closePart(kind.part(), 0, part);
    }
}
