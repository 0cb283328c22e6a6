package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A chat request's fields as both engines name them. A field that is absent or null has its default; a dialect checks types and ranges before it reads.
 *
 * @param body the JSON object that was received
 */
record ChatRequest(JsonNode body) {

    JsonNode messages() {
        return body.path("messages");
    }

    /** The tools that are offered; empty when there are none. */
    JsonNode tools() {
        return body.path("tools");
    }

    boolean offers(String tool) {
        for (JsonNode offered : tools()) {
            if (offered.path("function").path("name").asText().equals(tool)) {
                return true;
            }
        }
        return false;
    }

    ToolChoice toolChoice() {
        JsonNode choice = body.path("tool_choice");
        if (choice.isObject()) {
            return new ToolChoice.Named(choice.path("function").path("name").asText());
        }
        return switch (choice.asText("")) {
            case "none" -> new ToolChoice.None();
            case "required" -> new ToolChoice.Required();
            default -> tools().isEmpty() ? new ToolChoice.None() : new ToolChoice.Auto();
        };
    }

    boolean parallelToolCalls() {
        return body.path("parallel_tool_calls").asBoolean(true);
    }

    boolean stream() {
        return flag("stream");
    }

    boolean includeUsage() {
        return body.path("stream_options").path("include_usage").asBoolean(false);
    }

    boolean continuousUsage() {
        return includeUsage()
                && body.path("stream_options").path("continuous_usage_stats").asBoolean(false);
    }

    /** Tokens per chunk, 1 by default. */
    int streamInterval() {
        return Math.max(1, number("stream_interval").orElse(1));
    }

    OptionalInt maxTokens() {
        OptionalInt newer = number("max_completion_tokens");
        return newer.isPresent() ? newer : number("max_tokens");
    }

    int minTokens() {
        return number("min_tokens").orElse(0);
    }

    int n() {
        return number("n").orElse(1);
    }

    OptionalLong seed() {
        JsonNode seed = body.path("seed");
        return seed.isNumber() ? OptionalLong.of(seed.longValue()) : OptionalLong.empty();
    }

    double temperature() {
        return body.path("temperature").asDouble(1.0);
    }

    List<String> stops() {
        JsonNode stop = body.path("stop");
        return stop.isTextual() ? List.of(stop.textValue()) : texts(stop);
    }

    List<Integer> stopTokenIds() {
        List<Integer> ids = new ArrayList<>();
        body.path("stop_token_ids").forEach(id -> ids.add(id.intValue()));
        return ids;
    }

    boolean ignoreEos() {
        return flag("ignore_eos");
    }

    boolean skipSpecialTokens() {
        return body.path("skip_special_tokens").asBoolean(true);
    }

    boolean includeStop() {
        return flag("include_stop_str_in_output") || flag("no_stop_trim");
    }

    boolean logprobs() {
        return flag("logprobs");
    }

    int topLogprobs() {
        return number("top_logprobs").orElse(0);
    }

    boolean flag(String name) {
        return body.path(name).asBoolean(false);
    }

    OptionalInt number(String name) {
        JsonNode value = body.path(name);
        return value.isNumber() ? OptionalInt.of(value.intValue()) : OptionalInt.empty();
    }

    /** True where some message holds anything but text: an image, a sound. */
    boolean hasMedia() {
        for (JsonNode message : messages()) {
            for (JsonNode part : message.path("content")) {
                if (!part.isTextual() && !part.path("type").asText("text").equals("text")) {
                    return true;
                }
            }
        }
        return false;
    }

    private static List<String> texts(JsonNode array) {
        List<String> out = new ArrayList<>();
        array.forEach(item -> out.add(item.asText()));
        return out;
    }
}
