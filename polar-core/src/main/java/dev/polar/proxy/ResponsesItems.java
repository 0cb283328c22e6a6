package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

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
        var calls = reply.toolCallsFor(call);
        if (MessagesEncoder.hasReasoning(reply)) {
            reasoning(reply.reasoning());
        }
        if (hasText(reply) || (calls.isEmpty() && items.isEmpty())) {
            message(reply);
        }
        calls.forEach(this::toolCall);
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

    private void reasoning(String text) {
        var item = item("reasoning", "rs");
        var summary = item.putArray("summary");
        if (asked.summary()) {
            summary.addObject().put("type", "summary_text").put("text", text);
        }
        item.putArray("content").addObject().put("type", "reasoning_text").put("text", text);
        if (asked.sealed()) {
            item.put("encrypted_content", seal.seal(text));
        }
        item.put("status", "completed");
    }

    /** An answer without anything is one empty text: it comes back as the empty turn that it was. */
    private void message(Reply reply) {
        var item = item("message", "msg").put("status", "completed").put("role", "assistant");
        var content = item.putArray("content");
        var refusal = refusal(reply);
        if (refusal.isEmpty() || (reply.text() != null && !reply.text().isEmpty())) {
            var part = outputText(reply.text() == null ? "" : reply.text());
            part.set("logprobs", logprobs(reply));
            content.add(part);
        }
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

    private void toolCall(Reply.ToolCall made) {
        switch (asked.tools().tool(made.name())) {
            case AgentTool.Function function -> functionCall(function, made);
            case AgentTool.Custom custom -> customCall(custom, made);
            case AgentTool.LocalShell _ ->
                LocalShellCalls.action(made.arguments())
                        .ifPresentOrElse(
                                action -> shellCall(action, made),
                                () -> functionCall(new AgentTool.Function(null, made.name()), made));
        }
    }

    private void functionCall(AgentTool.Function function, Reply.ToolCall made) {
        named(item("function_call", "fc"), function, made).put("arguments", made.arguments());
        remember(made, made.arguments());
    }

    private void customCall(AgentTool.Custom custom, Reply.ToolCall made) {
        var input = ResponsesTools.customInput(made.arguments());
        named(item("custom_tool_call", "ctc"), custom, made).put("input", input);
        remember(made, input);
    }

    private void shellCall(ObjectNode action, Reply.ToolCall made) {
        item("local_shell_call", "lsh")
                .put("status", "completed")
                .put("call_id", made.id())
                .set("action", action);
        remember(made, LocalShellCalls.shown(action));
    }

    private static ObjectNode named(ObjectNode item, AgentTool tool, Reply.ToolCall made) {
        item.put("status", "completed").put("call_id", made.id()).put("name", tool.name());
        if (tool.namespace() != null) {
            item.put("namespace", tool.namespace());
        }
        return item;
    }

    private void remember(Reply.ToolCall made, String shown) {
        memory.made(made.id(), new ResponsesMemory.MadeCall(asked.key(), shown, made.arguments()));
    }
}
