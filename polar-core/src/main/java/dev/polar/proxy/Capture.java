package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.capture.CompletionEntry;
import dev.polar.capture.Picture;
import dev.polar.capture.Untrainable;
import dev.polar.continuation.Plan;
import dev.polar.inference.EngineAnswer;
import dev.polar.inference.Generation;
import dev.polar.spi.CallFacts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts one call's answers on record. For one call; used by one thread at a time. */
final class Capture {
    private static final Logger LOG = LoggerFactory.getLogger(Capture.class);

    private static final Set<String> TELLING = Set.of("user-agent", "session-id", "thread-id", "anthropic-beta");
    /** What names of headers have in them that hold a key, or what is as good as one. */
    private static final Pattern SECRET = Pattern.compile("key|token|secret|auth|cookie|passw|credential|signature");

    /** Of a text that is shorter nothing is a secret, and much may have it in it. */
    private static final int SHORTEST_KEY = 16;

    private static final Set<String> KEYS = Set.of("authorization", "x-api-key", "x-goog-api-key");

    /** Openings of tool calls that an engine's parser would have taken out of the text. */
    private static final List<String> CALL_MARKS =
            List.of("<tool_call>", "<function=", "<function_call>", "[TOOL_CALLS]", "<|python_tag|>");

    private final AgentSession session;
    private final ChatCall call;
    private final JsonNode original;
    private final EngineRequest request;
    private final CallFacts facts;
    private final OptionalInt asked;

    /** @param asked the output limit that the agent asked for */
    Capture(
            AgentSession session,
            ChatCall call,
            JsonNode original,
            EngineRequest request,
            OptionalInt asked,
            Map<String, String> headers) {
        this.session = session;
        this.call = call;
        this.original = original;
        this.request = request;
        this.asked = asked;
        this.facts = facts(headers);
    }

    private CallFacts facts(Map<String, String> headers) {
        var keys = keys(headers);
        var telling = new LinkedHashMap<String, String>();
        headers.forEach((name, value) -> {
            if (tells(name) && keys.stream().noneMatch(value::contains)) {
                telling.put(name, value);
            }
        });
        var tools = new ArrayList<String>();
        call.request()
                .path("tools")
                .forEach(tool -> tools.add(tool.path("function")
                        .path("name")
                        .asText(tool.path("type").asText(""))));
        var messages = call.messages();
        return new CallFacts(
                null,
                0,
                call.api(),
                telling,
                PromptText.leadingSystem(messages),
                PromptText.firstUser(messages),
                PromptText.lastUser(messages),
                List.copyOf(tools),
                messages.size(),
                asked,
                call.stream());
    }

    private static boolean tells(String name) {
        return TELLING.contains(name)
                || name.startsWith("x-")
                        && !name.startsWith("x-stainless")
                        && !SECRET.matcher(name).find();
    }

    /** What opens the session: an agent may send it under another name as well. */
    private List<String> keys(Map<String, String> headers) {
        var keys = new ArrayList<String>();
        if (session.bare()) {
            keys.add(session.sessionId());
        }
        for (var name : KEYS) {
            var value = headers.getOrDefault(name, "").strip();
            var key = value.substring(value.lastIndexOf(' ') + 1);
            keys.add(key);
        }
        keys.removeIf(key -> key.length() < SHORTEST_KEY);
        return keys;
    }

    /**
     * Records an answer, delivered or not. The policy's tool calls are remembered for the next turn.
     *
     * @param plan how its prompt was made
     * @return the completion's id
     */
    String record(long sequence, Generation generation, Reply reply, Plan plan) {
        var random = ThreadLocalRandom.current();
        var id = new UUID(random.nextLong(), random.nextLong()).toString();
        var answer = generation.answer();
        var pictures = Picture.in(request.body().path("messages"));
        var entry = new CompletionEntry(
                id,
                facts(id, sequence),
                seconds(),
                request.body(),
                original,
                answerTree(answer),
                0,
                answer.promptIds(),
                answer.sampledIds(),
                answer.logprobs(),
                answer.tokenTexts(),
                answer.finishReason(),
                answer.matchedStop(),
                ImagePlaces.find(pictures, answer.promptIds()),
                pictures,
                metadata(generation, reply, plan));
        session.recorder().record(entry);
        warn(entry);
        for (var made : reply.toolCalls()) {
            session.toolTexts().sampled(made.id(), made.name(), made.arguments());
        }
        return id;
    }

    /** @param id the completion's, or null for a call without one */
    CallFacts facts(String id, long sequence) {
        return new CallFacts(
                id,
                sequence,
                facts.api(),
                facts.headers(),
                facts.system(),
                facts.firstUser(),
                facts.lastUser(),
                facts.tools(),
                facts.messages(),
                facts.maxTokens(),
                facts.streamed());
    }

    private static double seconds() {
        var now = Instant.now();
        return now.getEpochSecond() + now.getNano() / 1e9;
    }

    /** The answer's head and its message, side by side. */
    private static ObjectNode answerTree(EngineAnswer answer) {
        var tree = JsonNodeFactory.instance.objectNode();
        answer.body().properties().forEach(member -> {
            if (!member.getKey().equals("choices")) {
                tree.set(member.getKey(), member.getValue());
            }
        });
        tree.set("message", answer.choice().path("message"));
        return tree;
    }

    private ObjectNode metadata(Generation generation, Reply reply, Plan plan) {
        var metadata = JsonNodeFactory.instance.objectNode();
        metadata.put("api_type", call.api().wire());
        metadata.put("model_requested", call.model());
        metadata.put(
                "model_used",
                generation
                        .answer()
                        .body()
                        .path("model")
                        .asText(request.body().path("model").asText("")));
        if (generation.policyVersion() != null) {
            metadata.put("policy_version", generation.policyVersion());
        }
        if (generation.policyVersionEnd() != null) {
            metadata.put("policy_version_end", generation.policyVersionEnd());
        }
        metadata.set("sampling", request.sampling());
        metadata.put("guided", request.guided());
        plan.describe(metadata);
        if (generation.limitDropped()) {
            metadata.put("limit_dropped", true);
        }
        var broken = brokenToolCall(reply, !facts.tools().isEmpty());
        if (broken != null) {
            metadata.put("invalid_tool_call", true).put("invalid_tool_call_detail", broken);
        }
        if (!call.dropped().isEmpty()) {
            var dropped = metadata.putArray("dropped");
            call.dropped().stream().distinct().forEach(dropped::add);
        }
        metadata.putObject("timings")
                .put("waited_ms", generation.waitedNanos() / 1e6)
                .put("engine_ms", generation.engineNanos() / 1e6);
        return metadata;
    }

    /** Why a tool call cannot be right: no name, arguments that are no JSON, or a call that the engine left in the text; else null. */
    static String brokenToolCall(Reply reply, boolean tools) {
        for (var made : reply.toolCalls()) {
            if (made.name().isEmpty()) {
                return "a tool call without a name";
            }
            if (!made.arguments().isBlank() && !MessagesEncoder.isJson(made.arguments())) {
                return "the arguments of a call of '" + made.name() + "' are no JSON";
            }
        }
        if (reply.toolCalls().isEmpty() && reply.text() != null && tools) {
            for (var mark : CALL_MARKS) {
                if (reply.text().contains(mark)) {
                    return "a tool call that the engine could not parse";
                }
            }
        }
        return null;
    }

    private void warn(CompletionEntry entry) {
        var why = Untrainable.of(entry).orElse(null);
        if (why != null && session.firstWarning(why)) {
            LOG.warn(
                    "session {}: an answer of the engine cannot train: {} (said once; see the completion's metadata)",
                    session.sessionId(),
                    why);
        }
    }
}
