package dev.polar.sim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.random.RandomGenerator;

/** An answer as the text that the model writes, within what the request allows: a grammar forces or forbids calls. */
final class Spoken {
    private Spoken() {}

    static String text(Answer answer, ChatRequest request, RandomGenerator random) {
        return switch (answer) {
            case Answer.Raw(String text) -> text;
            case Answer.Tokens(int[] ids) -> SimTokenizer.shared().decode(ids);
            case Answer.Message message -> message(formatted(allowed(message, request, random), request, random));
        };
    }

    /** A response format is a grammar: text that does not obey it gives way to a value that does. */
    private static Answer.Message formatted(Answer.Message message, ChatRequest request, RandomGenerator random) {
        JsonNode format = request.body().path("response_format");
        String type = format.path("type").asText("text");
        if (!message.calls().isEmpty() || isObject(message.text()) || type.equals("text")) {
            return message;
        }
        String text = type.equals("json_schema")
                ? Json.spaced(SchemaSample.value(format.at("/json_schema/schema"), random))
                : Json.spaced(Json.object().put("answer", message.text()));
        return new Answer.Message(message.reasoning(), text, List.of());
    }

    private static boolean isObject(String text) {
        try {
            return Json.MAPPER.readTree(text).isObject();
        } catch (JsonProcessingException e) {
            return false;
        }
    }

    private static String message(Answer.Message message) {
        StringBuilder out = new StringBuilder();
        if (!message.reasoning().isEmpty()) {
            out.append(ChatTemplate.THINK).append(message.reasoning()).append(ChatTemplate.END_THINK);
        }
        out.append(message.text());
        boolean first = message.text().isEmpty();
        for (Answer.Call call : message.calls()) {
            out.append(first ? "" : "\n").append(ChatTemplate.call(call.name(), Json.spaced(call.arguments())));
            first = false;
        }
        return out.toString();
    }

    private static Answer.Message allowed(Answer.Message message, ChatRequest request, RandomGenerator random) {
        return switch (request.toolChoice()) {
            case ToolChoice.Auto() -> message;
            case ToolChoice.None() -> withoutCalls(message, random);
            case ToolChoice.Required() ->
                message.calls().isEmpty()
                        ? called(message, request, tool(request, 0), random)
                        : silent(message, message.calls());
            case ToolChoice.Named(String name) -> {
                List<Answer.Call> named = message.calls().stream()
                        .filter(call -> call.name().equals(name))
                        .toList();
                yield named.isEmpty() ? called(message, request, name, random) : silent(message, named);
            }
        };
    }

    /** Without tools a script that calls one says a sentence instead, as a model would. */
    private static Answer.Message withoutCalls(Answer.Message message, RandomGenerator random) {
        String text = message.text().isEmpty() && !message.calls().isEmpty() ? PlainText.draw(random) : message.text();
        return new Answer.Message(message.reasoning(), text, List.of());
    }

    private static Answer.Message called(
            Answer.Message message, ChatRequest request, String name, RandomGenerator random) {
        JsonNode schema = Json.object();
        for (JsonNode tool : request.tools()) {
            if (tool.path("function").path("name").asText().equals(name)) {
                schema = tool.path("function").path("parameters");
            }
        }
        return silent(message, List.of(new Answer.Call(name, SchemaSample.object(schema, random))));
    }

    private static Answer.Message silent(Answer.Message message, List<Answer.Call> calls) {
        return new Answer.Message(message.reasoning(), "", calls);
    }

    private static String tool(ChatRequest request, int index) {
        return request.tools().path(index).path("function").path("name").asText();
    }
}
