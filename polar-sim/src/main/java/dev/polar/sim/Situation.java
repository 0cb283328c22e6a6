package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a scenario's rules look at in a request.
 *
 * @param turn 1 for the first answer of a conversation, then one more for each answer in the history
 * @param system text of the first message if its role is system, else empty
 * @param firstUser text of the first user message
 * @param lastRole role of the last message
 * @param lastText its text
 * @param results tool results since the last answer, in order
 * @param history all messages as text, calls included
 * @param image what the pictures shown last say of themselves
 */
record Situation(
        int turn,
        String system,
        String firstUser,
        String lastRole,
        String lastText,
        List<Result> results,
        String history,
        String image,
        ChatRequest request) {
    /**
     * A tool's result.
     *
     * @param tool the tool's name, empty where no call has its id
     */
    record Result(String tool, String text) {}

    static Situation of(ChatRequest request) {
        JsonNode messages = request.messages();
        Map<String, String> toolsById = new HashMap<>();
        List<Result> results = new ArrayList<>();
        StringBuilder history = new StringBuilder();
        String firstUser = "";
        int answers = 0;
        for (JsonNode message : messages) {
            String role = message.path("role").asText();
            String text = ChatTemplate.content(message);
            history.append(role).append(": ").append(text).append('\n');
            switch (role) {
                case "assistant" -> {
                    answers++;
                    results.clear();
                    for (JsonNode call : message.path("tool_calls")) {
                        toolsById.put(
                                call.path("id").asText(),
                                call.path("function").path("name").asText());
                        history.append("call: ").append(call.path("function")).append('\n');
                    }
                }
                case "tool" ->
                    results.add(new Result(
                            toolsById.getOrDefault(message.path("tool_call_id").asText(), ""), text));
                case "user" -> firstUser = firstUser.isEmpty() ? text : firstUser;
                default -> {} // other roles are part of the history only
            }
        }
        JsonNode last = messages.path(messages.size() - 1);
        String system =
                "system".equals(messages.path(0).path("role").asText()) ? ChatTemplate.content(messages.path(0)) : "";
        return new Situation(
                answers + 1,
                system,
                firstUser,
                last.path("role").asText(),
                ChatTemplate.content(last),
                List.copyOf(results),
                history.toString(),
                PngTexts.ofLastShown(messages),
                request);
    }
}
