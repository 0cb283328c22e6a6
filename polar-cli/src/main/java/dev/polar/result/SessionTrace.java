package dev.polar.result;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.spi.Trace;
import dev.polar.wire.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A trace with its place.
 *
 * @param session whose it is
 * @param index in the session's traces
 * @param trace as the result has it
 */
public record SessionTrace(SessionHead session, int index, Trace trace) {
    /** What {@code metadata} says under a key. */
    public JsonNode said(String key) {
        return Json.MAPPER.valueToTree(trace.metadata().get(key));
    }

    /** In order; empty where the result has none. */
    public List<Span> spans() {
        var spans = new ArrayList<Span>();
        said("spans").forEach(span -> spans.add(new Span(span)));
        return spans;
    }

    /** The role of its first completion; {@code main} where the result does not say. */
    public String role() {
        return said("spans").path(0).path("role").asText("main");
    }

    /** Null for the main agent. */
    public String agent() {
        return said("spans").path(0).path("agent").textValue();
    }

    /** Prompt and response. */
    public int length() {
        return trace.promptIds().length + trace.responseIds().length;
    }

    /** Prompt and response ids from the start up to {@code end}. */
    public int[] ids(int end) {
        var ids = Arrays.copyOf(trace.promptIds(), end);
        int prompt = trace.promptIds().length;
        if (end > prompt) {
            System.arraycopy(trace.responseIds(), 0, ids, prompt, end - prompt);
        }
        return ids;
    }

    public int trainedTokens() {
        return Arrays.stream(trace.lossMask()).sum();
    }

    /** True where mask and log-probabilities, if any, are as long as the response. */
    public boolean aligned() {
        int length = trace.responseIds().length;
        return trace.lossMask().length == length
                && (trace.responseLogprobs() == null || trace.responseLogprobs().length == length);
    }

    /** All messages, in order. */
    public List<Map<String, Object>> messages() {
        var messages = new ArrayList<>(trace.promptMessages());
        messages.addAll(trace.responseMessages());
        return messages;
    }

    /**
     * A stretch of the response that was sampled by one call.
     *
     * @param said as {@code metadata.spans} has it
     */
    public record Span(JsonNode said) {
        public int start() {
            return said.path("start").asInt();
        }

        public int end() {
            return said.path("end").asInt();
        }

        /** True where the ids before it in the trace are the prompt it was sampled from, and not only the same text. */
        public boolean afterItsOwnPrompt() {
            return said.path("context").isMissingNode() || said.path("context").isNull();
        }

        /** True where neither it nor what it goes on from was written anew. */
        public boolean exact() {
            return !inexact("tail") && !inexact("break") && afterItsOwnPrompt();
        }

        private boolean inexact(String key) {
            return List.of("retokenized", "rewritten").contains(said.path(key).asText());
        }
    }
}
