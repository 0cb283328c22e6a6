package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.ApiType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Decodes a Chat Completions request. What an engine may understand is passed on as it came. For one request. */
final class ChatDecoder {
    private static final Set<String> ROLES = Set.of("system", "developer", "user", "assistant", "tool", "function");

    /** Matters of the vendor's cloud, which no engine knows. */
    private static final Set<String> CLOUD = Set.of(
            "store",
            "metadata",
            "service_tier",
            "prompt_cache_key",
            "prompt_cache_retention",
            "safety_identifier",
            "user",
            "verbosity",
            "modalities",
            "prediction",
            "web_search_options");

    /** Decided by capture, or handled here. */
    private static final Set<String> OURS = Set.of(
            "model",
            "messages",
            "stream",
            "stream_options",
            "n",
            "logprobs",
            "top_logprobs",
            "return_token_ids",
            "return_prompt_token_ids",
            "return_meta_info",
            "return_tokens_as_token_ids",
            "include_reasoning",
            "max_completion_tokens");

    private final ObjectNode body;
    private final ObjectNode request = JsonNodeFactory.instance.objectNode();
    private final List<String> dropped = new ArrayList<>();

    ChatDecoder(ObjectNode body) {
        this.body = body;
    }

    ChatCall decode() {
        checkCount();
        request.set("messages", messages());
        for (Map.Entry<String, JsonNode> member : body.properties()) {
            var key = member.getKey();
            if (CLOUD.contains(key)) {
                dropped.add(key);
            } else if (!OURS.contains(key) && !member.getValue().isNull()) {
                request.set(key, member.getValue());
            }
        }
        limit();
        var stream = flag("stream");
        return new ChatCall(
                ApiType.OPENAI_CHAT,
                text("model"),
                stream,
                request,
                wishes(stream),
                stops(request.path("stop")),
                dropped);
    }

    private void checkCount() {
        var count = body.path("n");
        if (!count.isMissingNode() && !count.isNull() && !(count.isInt() && count.intValue() == 1)) {
            throw RefusedException.invalid("n", "must be 1: each answer of the policy is one branch of its session");
        }
    }

    /** The modern key wins. */
    private void limit() {
        var modern = body.path("max_completion_tokens");
        if (!modern.isMissingNode() && !modern.isNull()) {
            request.set("max_tokens", modern);
        }
    }

    private ChatCall.Wishes wishes(boolean stream) {
        var options = body.path("stream_options");
        boolean logprobs = flag("logprobs");
        return new ChatCall.Wishes(
                stream && options.path("include_usage").asBoolean(false),
                logprobs,
                logprobs ? Math.max(0, body.path("top_logprobs").asInt(0)) : 0,
                flag("return_token_ids"),
                body.path("parallel_tool_calls").isBoolean()
                        && !body.path("parallel_tool_calls").booleanValue());
    }

    static Set<String> stops(JsonNode stop) {
        var stops = new TreeSet<String>();
        if (stop.isTextual()) {
            stops.add(stop.textValue());
        }
        stop.forEach(one -> stops.add(one.asText()));
        return stops;
    }

    private ArrayNode messages() {
        if (!(body.get("messages") instanceof ArrayNode sent) || sent.isEmpty()) {
            throw RefusedException.invalid("messages", "must be a list of at least one message");
        }
        var messages = JsonNodeFactory.instance.arrayNode(sent.size());
        for (int i = 0; i < sent.size(); i++) {
            messages.add(message(sent.get(i), "messages[" + i + "]"));
        }
        return PromptText.joinLeadingSystem(messages);
    }

    private ObjectNode message(JsonNode sent, String path) {
        if (!sent.isObject()) {
            throw RefusedException.invalid(path, "must be an object");
        }
        var role = sent.path("role").textValue();
        if (role == null || !ROLES.contains(role)) {
            throw RefusedException.invalid(path + ".role", "must be one of system, developer, user, assistant, tool");
        }
        var message = JsonNodeFactory.instance.objectNode();
        for (var member : sent.properties()) {
            var value = member.getValue();
            switch (member.getKey()) {
                case "role" -> message.put("role", role.equals("developer") ? "system" : role);
                case "content" -> message.set("content", content(value, path + ".content"));
                case "reasoning", "reasoning_content" -> reasoning(message, value, path);
                case "tool_calls" -> toolCalls(message, value, path + ".tool_calls");
                default -> {
                    if (!value.isNull()) {
                        message.set(member.getKey(), value);
                    }
                }
            }
        }
        if (!message.has("content") && !message.has("tool_calls") && !role.equals("assistant")) {
            throw RefusedException.invalid(path + ".content", "is required");
        }
        return message;
    }

    private static void reasoning(ObjectNode message, JsonNode value, String path) {
        if (value.isTextual()) {
            if (!value.textValue().isEmpty()) {
                message.set("reasoning_content", value);
            }
        } else if (!value.isNull()) {
            throw RefusedException.invalid(path + ".reasoning_content", "must be a string");
        }
    }

    /** Parts that are all text are the same as their text: agents send now the one, now the other. */
    private static JsonNode content(JsonNode content, String path) {
        if (content.isTextual() || content.isNull()) {
            return content;
        }
        if (!content.isArray()) {
            throw RefusedException.invalid(path, "must be a string or a list of parts");
        }
        boolean textOnly = true;
        for (int i = 0; i < content.size(); i++) {
            var part = content.get(i);
            if (part.isTextual()) {
                throw RefusedException.invalid(path + "[" + i + "]", "must be an object with a type");
            }
            var type = part.path("type").asText("");
            boolean text = type.equals("text");
            if (!part.isObject()
                    || type.isEmpty()
                    || (text && !part.path("text").isTextual())) {
                throw RefusedException.invalid(
                        path + "[" + i + "]", "must be an object with a type, and of type text with a text");
            }
            textOnly &= text;
        }
        return textOnly ? JsonNodeFactory.instance.textNode(PromptText.of(content)) : content;
    }

    private static void toolCalls(ObjectNode message, JsonNode calls, String path) {
        if (calls.isNull() || (calls.isArray() && calls.isEmpty())) {
            return;
        }
        if (!calls.isArray()) {
            throw RefusedException.invalid(path, "must be a list");
        }
        var list = message.putArray("tool_calls");
        for (int i = 0; i < calls.size(); i++) {
            var call = calls.get(i);
            if (!call.isObject() || !call.path("function").path("name").isTextual()) {
                throw RefusedException.invalid(path + "[" + i + "].function.name", "is required");
            }
            // copied, since the arguments may become the model's own text
            var copy = ((ObjectNode) call).deepCopy();
            var function = (ObjectNode) copy.get("function");
            var arguments = function.path("arguments");
            if (!arguments.isTextual()) {
                function.put(
                        "arguments", arguments.isMissingNode() || arguments.isNull() ? "{}" : arguments.toString());
            }
            copy.remove("index");
            list.add(copy);
        }
    }

    private boolean flag(String key) {
        var value = body.path(key);
        if (!value.isMissingNode() && !value.isNull() && !value.isBoolean()) {
            throw RefusedException.invalid(key, "must be true or false");
        }
        return value.asBoolean(false);
    }

    private String text(String key) {
        var value = body.path(key);
        if (!value.isMissingNode() && !value.isNull() && !value.isTextual()) {
            throw RefusedException.invalid(key, "must be a string");
        }
        return value.asText("");
    }
}
