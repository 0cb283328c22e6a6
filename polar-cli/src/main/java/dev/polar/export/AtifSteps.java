package dev.polar.export;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.result.ChatMessage;
import dev.polar.result.ChatMessage.Part;
import dev.polar.result.SessionTrace;
import dev.polar.result.SessionTrace.Span;
import dev.polar.result.Turns.Turn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The steps of a trajectory document: a message each, but what tools gave back stands as observations in the step that called them. */
final class AtifSteps {
    private static final Set<String> MEDIA_TYPES = Set.of("image/jpeg", "image/png", "image/gif", "image/webp");

    /** Content that the format has no word for. */
    static final class NoSuchContentException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private final SessionTrace of;
    private final ImageForm images;
    private final List<Map<String, Object>> steps = new ArrayList<>();

    AtifSteps(SessionTrace of, ImageForm images) {
        this.of = of;
        this.images = images;
    }

    List<Map<String, Object>> all() {
        return steps;
    }

    void addPrompt(List<ChatMessage> prompt) {
        prompt.forEach(this::addGiven);
    }

    /** A sampled answer with its ids, and what followed. */
    void addTurn(Turn turn) {
        var step = agentStep(turn.answer());
        step.put("metrics", metrics(turn.span()));
        step.put("llm_call_count", 1);
        step.put("extra", extra(turn.span()));
        turn.given().forEach(this::addGiven);
    }

    private void addGiven(ChatMessage message) {
        switch (message.role()) {
            case "assistant" -> agentStep(message).put("is_copied_context", true);
            case "tool" -> addObservation(message);
            default -> step(message.role().equals("user") ? "user" : "system").put("message", content(message));
        }
    }

    private Map<String, Object> step(String source) {
        var step = new LinkedHashMap<String, Object>();
        step.put("step_id", steps.size() + 1);
        step.put("source", source);
        steps.add(step);
        return step;
    }

    private Map<String, Object> agentStep(ChatMessage message) {
        var step = step("agent");
        step.put("message", content(message));
        if (message.reasoning() != null) {
            step.put("reasoning_content", message.reasoning());
        }
        if (!message.toolCalls().isEmpty()) {
            step.put(
                    "tool_calls",
                    message.toolCalls().stream().map(AtifSteps::toolCall).toList());
        }
        return step;
    }

    private static Map<String, Object> toolCall(ChatMessage.ToolCall call) {
        var said = new LinkedHashMap<String, Object>();
        said.put("tool_call_id", call.id());
        said.put("function_name", call.name());
        var arguments = call.parsed();
        said.put("arguments", arguments.<Object>map(tree -> tree).orElse(Map.of()));
        if (arguments.isEmpty()) {
            said.put("extra", Map.of("unparsed_arguments", call.arguments()));
        }
        return said;
    }

    /** Into the step before; where that called nothing of this id, without saying which call it answers. */
    private void addObservation(ChatMessage message) {
        if (steps.isEmpty()) {
            step("system").put("message", "");
        }
        var step = steps.getLast();
        var result = new LinkedHashMap<String, Object>();
        if (called(step, message.toolCallId())) {
            result.put("source_call_id", message.toolCallId());
        }
        result.put("content", content(message));
        var observation = observations(step);
        observation.add(result);
        step.put("observation", Map.of("results", observation));
    }

    private static boolean called(Map<String, Object> step, String id) {
        return step.get("tool_calls") instanceof List<?> calls
                && calls.stream()
                        .anyMatch(call -> call instanceof Map<?, ?> said
                                && said.get("tool_call_id").equals(id));
    }

    private static List<Object> observations(Map<String, Object> step) {
        return step.get("observation") instanceof Map<?, ?> said && said.get("results") instanceof List<?> results
                ? new ArrayList<>(results)
                : new ArrayList<>();
    }

    private Object content(ChatMessage message) {
        if (message.onlyText()) {
            return message.parts().isEmpty() ? "" : message.text();
        }
        return message.parts().stream().map(this::part).toList();
    }

    private Map<String, Object> part(Part part) {
        return switch (part) {
            case Part.Text words -> Map.of("type", "text", "text", words.text());
            case Part.Image image -> {
                if (!MEDIA_TYPES.contains(image.mediaType() == null ? "" : image.mediaType())) {
                    throw new NoSuchContentException();
                }
                yield Map.of(
                        "type",
                        "image",
                        "source",
                        Map.of("media_type", image.mediaType(), "path", images.address(image)));
            }
            case Part.Other _ -> throw new NoSuchContentException();
        };
    }

    private Map<String, Object> metrics(Span span) {
        var metrics = new LinkedHashMap<String, Object>();
        if (span.afterItsOwnPrompt()) {
            int length = of.trace().promptIds().length + span.start();
            metrics.put("prompt_tokens", length);
            metrics.put("completion_tokens", span.end() - span.start());
            metrics.put("prompt_token_ids", of.ids(length));
        } else {
            // Sampled after the same text in other ids, which the trace does not hold.
            metrics.put("completion_tokens", span.end() - span.start());
        }
        metrics.put("completion_token_ids", Arrays.copyOfRange(of.trace().responseIds(), span.start(), span.end()));
        if (of.trace().responseLogprobs() != null) {
            metrics.put("logprobs", Arrays.copyOfRange(of.trace().responseLogprobs(), span.start(), span.end()));
        }
        return metrics;
    }

    private static Map<String, Object> extra(Span span) {
        var extra = new LinkedHashMap<String, Object>();
        ((ObjectNode) span.said()).properties().forEach(field -> extra.put(field.getKey(), field.getValue()));
        extra.remove("start");
        extra.remove("end");
        return extra;
    }
}
