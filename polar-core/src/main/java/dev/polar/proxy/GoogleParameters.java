package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Google's {@code generationConfig} as an engine's parameters. For one request. */
final class GoogleParameters {
    private static final Map<String, String> NUMBERS = Map.of(
            "temperature", "temperature",
            "topP", "top_p",
            "topK", "top_k",
            "maxOutputTokens", "max_tokens",
            "seed", "seed",
            "presencePenalty", "presence_penalty",
            "frequencyPenalty", "frequency_penalty");

    /** Means something to the vendor's models alone. */
    private static final Set<String> IGNORED = Set.of(
            "mediaResolution",
            "speechConfig",
            "audioTimestamp",
            "enableEnhancedCivicAnswers",
            "enableAffectiveDialog",
            "routingConfig",
            "modelSelectionConfig",
            "imageConfig");

    private final ObjectNode config;
    private final ObjectNode request;
    private final List<String> dropped;

    GoogleParameters(ObjectNode config, ObjectNode request, List<String> dropped) {
        this.config = config;
        this.request = request;
        this.dropped = dropped;
    }

    /** Adds the parameters to the engine's request. */
    void decode() {
        for (var member : config.properties()) {
            var key = member.getKey();
            var value = member.getValue();
            switch (key) {
                case "candidateCount" -> {
                    if (!(value.isInt() && value.intValue() == 1)) {
                        throw RefusedException.invalid(
                                path(key), "must be 1: each answer of the policy is one branch of its session");
                    }
                }
                case "stopSequences" -> stops();
                case "responseModalities" -> {
                    for (var modality : GoogleFields.list(value, path(key))) {
                        if (!"TEXT".equalsIgnoreCase(modality.textValue())) {
                            throw RefusedException.invalid(path(key), "must be TEXT alone");
                        }
                    }
                }
                case "responseMimeType", "responseSchema", "responseJsonSchema", "ResponseJsonSchema" -> {
                    // below, together
                }
                case "thinkingConfig", "responseLogprobs", "logprobs" -> {
                    // what the agent wants to see
                }
                default -> number(key);
            }
        }
        responseFormat();
    }

    private void number(String key) {
        var engines = NUMBERS.get(key);
        if (engines == null) {
            dropped.add(IGNORED.contains(key) ? key : "unknown_key");
            return;
        }
        var value = config.get(key);
        if (!value.isNumber()) {
            throw RefusedException.invalid(path(key), "must be a number");
        }
        request.set(engines, value);
    }

    private void stops() {
        var stops = GoogleFields.list(config.path("stopSequences"), path("stopSequences"));
        for (var stop : stops) {
            if (!stop.isTextual()) {
                throw RefusedException.invalid(path("stopSequences"), "must be a list of strings");
            }
        }
        if (!stops.isEmpty()) {
            request.set("stop", stops);
        }
    }

    private void responseFormat() {
        var type = GoogleFields.text(config.path("responseMimeType"), path("responseMimeType"));
        var key = config.has("responseJsonSchema")
                ? "responseJsonSchema"
                // some clients write a leading underscore
                : config.has("ResponseJsonSchema") ? "ResponseJsonSchema" : "responseSchema";
        switch (type) {
            case "", "application/json" -> {
                if (config.has(key)) {
                    request.putObject("response_format")
                            .put("type", "json_schema")
                            .putObject("json_schema")
                            .put("name", "output")
                            .put("strict", true)
                            .set("schema", GoogleSchemas.jsonSchema(config.get(key), path(key)));
                } else if (!type.isEmpty()) {
                    request.putObject("response_format").put("type", "json_object");
                }
            }
            case "text/plain" -> {
                // what comes anyway
            }
            default ->
                throw RefusedException.invalid(path("responseMimeType"), "must be application/json or text/plain");
        }
    }

    /** What the agent wants to see. Thoughts, unless it says that it wants none. */
    ChatCall.Wishes wishes() {
        boolean logprobs = GoogleFields.flag(config.path("responseLogprobs"), path("responseLogprobs"));
        int top = config.path("logprobs").isInt()
                ? Math.max(0, config.path("logprobs").intValue())
                : 0;
        return new ChatCall.Wishes(false, logprobs, logprobs ? top : 0, false, false, hidesThoughts());
    }

    private boolean hidesThoughts() {
        var thinking = GoogleFields.optional(config.path("thinkingConfig"), path("thinkingConfig"));
        for (var key : List.of("thinkingBudget", "thinkingLevel")) {
            if (thinking.has(key)) {
                dropped.add(key);
            }
        }
        return thinking.has("includeThoughts")
                && !GoogleFields.flag(thinking.get("includeThoughts"), path("thinkingConfig.includeThoughts"));
    }

    private static String path(String key) {
        return "generationConfig." + key;
    }
}
