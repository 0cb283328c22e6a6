package dev.polar.continuation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.JsonTree;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A request as it is compared with earlier ones. Of a message count its role, its text, and its calls by name and what their arguments mean; neither ids nor reasoning do, nor the outer white space of an answer.
 *
 * @param messages one digest for each message
 * @param callIds of each message, the ids of its calls: they tell answers apart that are otherwise the same
 * @param tools of the tools that are offered
 * @param template of all else that the template sees
 */
record History(List<Digest> messages, List<List<String>> callIds, Digest tools, Digest template) {
    /** @param templateKeys keys of a request that its template sees, beside messages and tools */
    static History of(ObjectNode request, Set<String> templateKeys) {
        var digests = new ArrayList<Digest>();
        var callIds = new ArrayList<List<String>>();
        for (var message : request.path("messages")) {
            var calls = calls(message);
            digests.add(of(message.path("role").asText(""), text(message.path("content")), calls));
            callIds.add(ids(calls));
        }
        var template = new Digest.Sink();
        templateKeys.stream()
                .sorted()
                .filter(request::has)
                .forEach(key -> template.text(key).tree(Canonical.of(request.get(key))));
        return new History(
                List.copyOf(digests),
                List.copyOf(callIds),
                new Digest.Sink().tree(Canonical.of(request.path("tools"))).digest(),
                template.digest());
    }

    /** True where some message holds anything but text. */
    static boolean hasImages(ObjectNode request) {
        for (var message : request.path("messages")) {
            for (var part : message.path("content")) {
                if (!part.isTextual() && !part.path("type").asText("text").equals("text")) {
                    return true;
                }
            }
        }
        return false;
    }

    private static List<Answered.Call> calls(JsonNode message) {
        var calls = new ArrayList<Answered.Call>();
        for (var call : message.path("tool_calls")) {
            var function = call.path("function");
            var arguments = function.path("arguments");
            calls.add(new Answered.Call(
                    call.path("id").textValue(),
                    function.path("name").asText(""),
                    arguments.isTextual() ? arguments.textValue() : arguments.toString()));
        }
        return calls;
    }

    /** Those of the calls that have one. */
    static List<String> ids(List<Answered.Call> calls) {
        return calls.stream().map(Answered.Call::id).filter(Objects::nonNull).toList();
    }

    /** An answer as it comes back: what the agent got of it. */
    static Digest answer(String text, List<Answered.Call> calls) {
        return of("assistant", text, calls);
    }

    private static Digest of(String role, String text, List<Answered.Call> calls) {
        var sink = new Digest.Sink().text(role).text(role.equals("assistant") ? text.strip() : text);
        for (var call : calls) {
            sink.text(call.name()).tree(arguments(call.arguments()));
        }
        return sink.digest();
    }

    /** Arguments that are no JSON are their own text. Those that an agent was shown as a string, since they were none, come back as that. */
    private static Canonical arguments(String arguments) {
        try {
            var tree = arguments.isBlank() ? JsonTree.read("{}") : JsonTree.read(arguments);
            return Canonical.of(tree);
        } catch (IOException notJson) {
            return new Canonical.Text(arguments);
        }
    }

    /** The text of a content: a string, or parts of which the texts count. */
    private static String text(JsonNode content) {
        if (!content.isArray()) {
            return content.asText("");
        }
        var text = new ArrayList<String>();
        for (var part : content) {
            if (part.isTextual()) {
                text.add(part.textValue());
            } else if (part.path("text").isTextual()) {
                text.add(part.path("text").textValue());
            }
        }
        return String.join("\n", text);
    }
}
