package dev.polar.sim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * ChatML with tools in the Hermes manner. A system message leads, given or not; a tool's result stands in a user turn; a call is a JSON object in {@code <tool_call>}
 * tags. Of an answer that comes back in the history, reasoning is rendered only after the last user message, so it lives through a tool loop and is dropped at the
 * next user turn.
 */
final class ChatTemplate {
    static final String THINK = "<think>\n";
    static final String END_THINK = "\n</think>\n\n";
    /** How many placeholder ids an image takes. */
    static final int IMAGE_TOKENS = 16;

    private static final String DEFAULT_SYSTEM = "You are a stand-in for a language model.";

    private ChatTemplate() {}

    /**
     * The prompt's text.
     *
     * @param tools an array of tools, or an empty or missing node
     * @param openAnswer whether the prompt ends where the assistant is to begin
     * @param continueLast whether the last message stays open, for the model to go on with it
     */
    static String render(JsonNode messages, JsonNode tools, boolean openAnswer, boolean continueLast) {
        StringBuilder out = new StringBuilder();
        boolean leads = "system".equals(messages.path(0).path("role").asText());
        out.append("<|im_start|>system\n").append(leads ? content(messages.path(0)) : DEFAULT_SYSTEM);
        if (!tools.isEmpty()) {
            tools(tools, out);
        }
        out.append("<|im_end|>\n");
        int lastUser = lastUser(messages);
        for (int i = leads ? 1 : 0; i < messages.size(); i++) {
            message(messages.get(i), i > lastUser, out);
            boolean open = continueLast && i == messages.size() - 1;
            out.append(open ? "" : "<|im_end|>\n");
        }
        if (openAnswer && !continueLast) {
            out.append("<|im_start|>assistant\n");
        }
        return out.toString();
    }

    /** A message's content as text; images become placeholders where they stand. */
    static String content(JsonNode message) {
        JsonNode content = message.path("content");
        if (!content.isArray()) {
            return content.asText("");
        }
        StringBuilder out = new StringBuilder();
        boolean afterText = false;
        for (JsonNode part : content) {
            boolean image = part.path("type").asText().contains("image");
            if (image) {
                out.append("<|image_pad|>".repeat(IMAGE_TOKENS));
            } else {
                out.append(afterText ? "\n" : "")
                        .append(
                                part.isTextual()
                                        ? part.textValue()
                                        : part.path("text").asText(""));
            }
            afterText = !image;
        }
        return out.toString();
    }

    private static void tools(JsonNode tools, StringBuilder out) {
        out.append("\n\n# Tools\n\nThese functions can be called; each line between the tags describes one:\n<tools>");
        tools.forEach(tool -> out.append('\n').append(Json.spaced(tool)));
        out.append(
                "\n</tools>\n\nTo call one, write a JSON object with its name and arguments between these tags:\n<tool_call>\n"
                        + "{\"name\": <name>, \"arguments\": <object>}\n</tool_call>");
    }

    private static void message(JsonNode message, boolean inLoop, StringBuilder out) {
        String role = message.path("role").asText();
        switch (role) {
            case "tool" ->
                out.append("<|im_start|>user\n<tool_response>\n")
                        .append(content(message))
                        .append("\n</tool_response>");
            case "assistant" -> answer(message, inLoop, out);
            default -> out.append("<|im_start|>").append(role).append('\n').append(content(message));
        }
    }

    private static void answer(JsonNode message, boolean withReasoning, StringBuilder out) {
        out.append("<|im_start|>assistant\n");
        String reasoning = message.path("reasoning")
                .asText(message.path("reasoning_content").asText(""));
        if (withReasoning && !reasoning.isEmpty()) {
            out.append(THINK).append(reasoning).append(END_THINK);
        }
        String text = content(message);
        JsonNode calls = message.path("tool_calls");
        if (!calls.isEmpty() && text.endsWith("\n")) {
            text = text.substring(0, text.length() - 1); // the line break before a call is the template's
        }
        out.append(text);
        boolean first = text.isEmpty();
        for (JsonNode call : calls) {
            JsonNode function = call.has("function") ? call.get("function") : call;
            out.append(first ? "" : "\n")
                    .append(call(function.path("name").asText(), arguments(function.path("arguments"))));
            first = false;
        }
    }

    /** The text of a call as the model writes it and as the template writes it again. */
    static String call(String name, String arguments) {
        return "<tool_call>\n{\"name\": \"" + name + "\", \"arguments\": " + arguments + "}\n</tool_call>";
    }

    /** Arguments come as JSON text or as an object; text that is no JSON is kept as it is. */
    private static String arguments(JsonNode arguments) {
        if (!arguments.isTextual()) {
            return arguments.isMissingNode() ? "{}" : Json.spaced(arguments);
        }
        try {
            return arguments.textValue().isBlank() ? "{}" : Json.spaced(Json.MAPPER.readTree(arguments.textValue()));
        } catch (JsonProcessingException e) {
            return arguments.textValue();
        }
    }

    private static int lastUser(JsonNode messages) {
        for (int i = messages.size() - 1; i >= 0; i--) {
            if ("user".equals(messages.get(i).path("role").asText())) {
                return i;
            }
        }
        return -1;
    }
}
