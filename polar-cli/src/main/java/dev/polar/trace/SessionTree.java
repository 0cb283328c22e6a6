package dev.polar.trace;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.result.ChatMessage;
import dev.polar.result.SessionHead;
import dev.polar.result.SessionTrace;
import dev.polar.result.Turns;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A session's chains, each below the one that it goes on from. Holds no ids. */
public final class SessionTree {
    /**
     * A chain.
     *
     * @param parent index of the trace that it leaves, or -1
     * @param turns one per span
     */
    record Chain(
            int index,
            int parent,
            String reason,
            int shared,
            String role,
            String agent,
            Double reward,
            int prompt,
            int response,
            int trained,
            JsonNode filter,
            List<Turn> turns) {}

    /**
     * A sampled answer.
     *
     * @param said its span
     * @param given ids between the one before and it
     * @param did in a few words; empty where the result does not tell
     * @param continuation how its prompt was made; empty where the result does not tell
     */
    record Turn(JsonNode said, int given, int sampled, String did, String continuation) {}

    private static final int WORDS = 60;

    private final SessionHead session;
    private final List<Chain> chains = new ArrayList<>();

    public SessionTree(SessionHead session) {
        this.session = session;
    }

    public void add(SessionTrace trace) {
        var first = trace.said("spans").path(0);
        chains.add(new Chain(
                trace.index(),
                trace.said("parent_trace").asInt(-1),
                first.path("break").asText(""),
                trace.said("shared_prefix_tokens").asInt(0),
                trace.role(),
                trace.agent(),
                trace.trace().reward(),
                trace.trace().promptIds().length,
                trace.trace().responseIds().length,
                trace.trainedTokens(),
                trace.said("training_filter"),
                turns(trace)));
    }

    private static List<Turn> turns(SessionTrace trace) {
        var told = Turns.of(trace);
        var completions = new LinkedHashMap<String, JsonNode>();
        for (var completion : trace.said("completion_metadata")) {
            completions.put(completion.path("completion_id").asText(), completion);
        }
        var turns = new ArrayList<Turn>();
        int end = 0;
        for (var span : trace.spans()) {
            var did = told.map(all -> words(all.turns().get(turns.size()).answer()))
                    .orElse("");
            var completion = completions.get(span.said().path("completion_id").asText());
            turns.add(new Turn(
                    span.said(),
                    span.start() - end,
                    span.end() - span.start(),
                    did,
                    completion == null ? "" : continuation(completion)));
            end = span.end();
        }
        return turns;
    }

    /** How its prompt was made, and why so, or how the text was like what had been sampled. */
    private static String continuation(JsonNode completion) {
        return Stream.of("continuation", "continuation_reason", "continuation_text")
                .map(key -> completion.path(key).textValue())
                .filter(Objects::nonNull)
                .collect(Collectors.joining(" "));
    }

    private static String words(ChatMessage answer) {
        var calls = answer.toolCalls().stream().map(ChatMessage.ToolCall::name).collect(Collectors.joining(", "));
        var text = answer.text() == null ? "" : answer.text().strip().replaceAll("\\s+", " ");
        var says = text.isEmpty() ? "" : "\"" + cut(text) + "\"";
        return calls.isEmpty() ? says : "calls " + calls + (says.isEmpty() ? "" : ", " + says);
    }

    private static String cut(String text) {
        return text.length() <= WORDS
                ? text
                : text.substring(0, text.offsetByCodePoints(0, text.codePointCount(0, WORDS))) + "…";
    }

    SessionHead session() {
        return session;
    }

    /** Those that leave a trace, in order; -1 for those that leave none. Each chain stands below exactly one. */
    List<Chain> below(int index) {
        return chains.stream().filter(chain -> parentOf(chain) == index).toList();
    }

    /** What a result says of a trace that comes after it, or of none, is no parent: a tree has no circles. */
    private static int parentOf(Chain chain) {
        return chain.parent < chain.index ? Math.max(-1, chain.parent) : -1;
    }

    int size() {
        return chains.size();
    }

    /** The same as JSON. */
    public Map<String, Object> json() {
        var tree = new LinkedHashMap<String, Object>();
        tree.put("session_id", session.sessionId());
        tree.put("task_id", session.taskId());
        tree.put("status", session.status());
        tree.put("reconstruction_stats", session.metadata().path("reconstruction_stats"));
        tree.put("excluded_completions", session.metadata().path("excluded_completions"));
        tree.put("traces", chains.stream().map(SessionTree::json).toList());
        return tree;
    }

    private static Map<String, Object> json(Chain chain) {
        var said = new LinkedHashMap<String, Object>();
        said.put("trace", chain.index);
        said.put("parent_trace", chain.parent < 0 ? null : chain.parent);
        said.put("break", chain.reason);
        said.put("role", chain.role);
        said.put("agent", chain.agent);
        said.put("reward", chain.reward);
        said.put("prompt_tokens", chain.prompt);
        said.put("response_tokens", chain.response);
        said.put("trained_tokens", chain.trained);
        said.put("training_filter", chain.filter);
        var spans = new ArrayList<Object>();
        for (var turn : chain.turns) {
            var listed = new LinkedHashMap<String, Object>();
            ((ObjectNode) turn.said).properties().forEach(field -> listed.put(field.getKey(), field.getValue()));
            listed.put("did", turn.did);
            if (!turn.continuation.isEmpty()) {
                listed.put("continuation", turn.continuation);
            }
            spans.add(listed);
        }
        said.put("spans", spans);
        return said;
    }
}
