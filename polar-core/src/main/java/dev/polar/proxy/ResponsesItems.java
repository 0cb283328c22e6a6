package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.Delta;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes an answer's output items: reasoning, then text, then calls. They are made once per answer, since events and the final response show the same. For one call. */
final class ResponsesItems {
    private final ChatCall call;
    private final ResponsesCall asked;
    private final ResponsesMemory memory;
    private final ReasoningSeal seal;
    private final List<ObjectNode> items = new ArrayList<>();

    ResponsesItems(ChatCall call, AgentSession session) {
        this.call = call;
        this.asked = ResponsesCall.of(call);
        this.memory = session.responses();
        this.seal = session.reasoningSeal();
    }

    /** The finished items; what later requests may refer to is remembered. */
    List<ObjectNode> of(Reply reply) {
        if (MessagesEncoder.hasReasoning(reply)) {
            fill(reasoning(), reply.reasoning());
        }
        if (hasText(reply)) {
            message(reply);
        }
        reply.toolCallsFor(call).forEach(this::toolCall);
        if (lacksMessage(reply)) {
            message(reply);
        }
        return end(reply);
    }

    /** An answer without anything is one empty text: it comes back as the empty turn that it was. */
    boolean lacksMessage(Reply reply) {
        return reply.toolCallsFor(call).isEmpty() && items.isEmpty();
    }

    /** All items, when they are filled. */
    List<ObjectNode> end(Reply reply) {
        if (reply.finishReason().equals("length")) {
            items.getLast().put("status", "incomplete");
        }
        if (asked.stored()) {
            memory.answered(asked.responseId(), asked.items(), items);
        }
        return items;
    }

    private static boolean hasText(Reply reply) {
        return (reply.text() != null && !reply.text().isEmpty())
                || !refusal(reply).isEmpty();
    }

    private static String refusal(Reply reply) {
        return reply.message().path("refusal").asText("");
    }

    private ObjectNode item(String type, String idKind) {
        var item = JsonNodeFactory.instance
                .objectNode()
                .put("id", asked.itemId(idKind, items.size()))
                .put("type", type);
        items.add(item);
        return item;
    }

    /** A reasoning item, to be filled. */
    ObjectNode reasoning() {
        var item = item("reasoning", "rs");
        item.putArray("summary");
        item.putArray("content");
        return item;
    }

    /** Ends a reasoning item. */
    void fill(ObjectNode item, String text) {
        if (asked.summary()) {
            ((ArrayNode) item.get("summary"))
                    .addObject()
                    .put("type", "summary_text")
                    .put("text", text);
        }
        ((ArrayNode) item.get("content"))
                .addObject()
                .put("type", "reasoning_text")
                .put("text", text);
        if (asked.sealed()) {
            item.put("encrypted_content", seal.seal(text));
        }
        item.put("status", "completed");
    }

    /** True where a reasoning item has a summary. */
    boolean summarized() {
        return asked.summary();
    }

    /** A message, to be filled. */
    ObjectNode message() {
        var item = item("message", "msg").put("status", "completed").put("role", "assistant");
        item.putArray("content");
        return item;
    }

    /** A message with the answer's text. */
    ObjectNode message(Reply reply) {
        var item = message();
        var content = (ArrayNode) item.get("content");
        var refusal = refusal(reply);
        if (refusal.isEmpty() || (reply.text() != null && !reply.text().isEmpty())) {
            var part = outputText(reply.text() == null ? "" : reply.text());
            part.set("logprobs", logprobs(reply));
            content.add(part);
        }
        refuse(content, refusal);
        return item;
    }

    /** Ends a message whose text was told. */
    void fill(ObjectNode item, String text, JsonNode logprobs) {
        var part = outputText(text);
        part.set("logprobs", logprobs);
        ((ArrayNode) item.get("content")).add(part);
    }

    /** A message with the answer's refusal alone, where there is one and the text was told. */
    Optional<ObjectNode> refused(Reply reply) {
        if (refusal(reply).isEmpty()) {
            return Optional.empty();
        }
        var item = message();
        refuse((ArrayNode) item.get("content"), refusal(reply));
        return Optional.of(item);
    }

    private static void refuse(ArrayNode content, String refusal) {
        if (!refusal.isEmpty()) {
            content.addObject().put("type", "refusal").put("refusal", refusal);
        }
    }

    static ObjectNode outputText(String text) {
        var part =
                JsonNodeFactory.instance.objectNode().put("type", "output_text").put("text", text);
        part.putArray("annotations");
        part.putArray("logprobs");
        return part;
    }

    private JsonNode logprobs(Reply reply) {
        var shown = ChatEncoder.logprobs(call, reply).path("content");
        return shown.isArray() ? shown : JsonNodeFactory.instance.arrayNode();
    }

    /** A tool call whose arguments can be told as they come, to be filled; empty where they can be told only when they are whole. */
    Optional<ObjectNode> openCall(Delta.Call begun) {
        return asked.tools().tool(begun.name()) instanceof AgentTool.Function function
                ? Optional.of(
                        named(item("function_call", "fc"), function, begun.id()).put("arguments", ""))
                : Optional.empty();
    }

    /** Ends such a call. */
    void fill(ObjectNode item, Reply.ToolCall made) {
        item.put("arguments", made.arguments());
        remember(made, made.arguments());
    }

    /** A whole tool call. */
    ObjectNode toolCall(Reply.ToolCall made) {
        return switch (asked.tools().tool(made.name())) {
            case AgentTool.Function function -> functionCall(function, made);
            case AgentTool.Custom custom -> customCall(custom, made);
            case AgentTool.LocalShell _ ->
                LocalShellCalls.action(made.arguments())
                        .map(action -> shellCall(action, made))
                        .orElseGet(() -> functionCall(new AgentTool.Function(null, made.name()), made));
        };
    }

    private ObjectNode functionCall(AgentTool.Function function, Reply.ToolCall made) {
        var item = named(item("function_call", "fc"), function, made.id());
        fill(item, made);
        return item;
    }

    private ObjectNode customCall(AgentTool.Custom custom, Reply.ToolCall made) {
        var input = ResponsesTools.customInput(made.arguments());
        remember(made, input);
        return named(item("custom_tool_call", "ctc"), custom, made.id()).put("input", input);
    }

    private ObjectNode shellCall(ObjectNode action, Reply.ToolCall made) {
        var item = item("local_shell_call", "lsh").put("status", "completed").put("call_id", made.id());
        item.set("action", action);
        remember(made, LocalShellCalls.shown(action));
        return item;
    }

    private static ObjectNode named(ObjectNode item, AgentTool tool, String callId) {
        item.put("status", "completed").put("call_id", callId).put("name", tool.name());
        if (tool.namespace() != null) {
            item.put("namespace", tool.namespace());
        }
        return item;
    }

    private void remember(Reply.ToolCall made, String shown) {
        memory.made(made.id(), new ResponsesMemory.MadeCall(asked.key(), shown, made.arguments()));
    }
}
