package dev.polar.capture;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.spi.CallLabel;
import dev.polar.spi.SessionRecord;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;

/** A session's record after its end: completions with their labels, and their prompts as a tree. Immutable. */
public final class SealedRecord implements SessionRecord {
    /** Order of arrival; several choices of one call by their index. */
    static final Comparator<StoredCompletion> ARRIVAL = Comparator.<StoredCompletion>comparingLong(c -> c.sequence)
            .thenComparingInt(c -> c.choiceIndex)
            .thenComparingInt(c -> c.ordinal);

    private final RecordData data;
    private final List<RecordedCompletion> completions;
    private final RecordedCompletion[] byOrdinal;
    private final List<Prompt> prompts;
    private final OptionalInt endOfTurn;
    private final boolean images;
    private final Map<String, Integer> agents = new HashMap<>();
    /** Values that someone still uses, so that a message that stands in many prompts is one object. */
    private final Map<Integer, WeakReference<Map<String, Object>>> values = new ConcurrentHashMap<>();
    /** How many pictures messages show: each message stands in many prompts. */
    private final Map<Integer, Integer> pictures = new ConcurrentHashMap<>();

    /**
     * @param data whose tree is numbered
     * @param labels by ordinal
     */
    SealedRecord(RecordData data, List<CallLabel> labels, OptionalInt endOfTurn) {
        this.data = data;
        this.endOfTurn = endOfTurn;
        this.images = data.completions().stream().anyMatch(completion -> !completion.images.isEmpty());
        var byNode = promptsByNode(data, endOfTurn);
        var root = byNode.get(data.tree().root());
        var sorted = data.completions().stream().sorted(ARRIVAL).toList();
        var recorded = new ArrayList<RecordedCompletion>(sorted.size());
        for (var stored : sorted) {
            var prompt = stored.prompt == null ? root : byNode.get(stored.prompt);
            var completion = new RecordedCompletion(this, stored, labels.get(stored.ordinal), prompt, recorded.size());
            recorded.add(completion);
            if (!prompt.isRoot()) {
                prompt.add(completion);
            }
        }
        this.byOrdinal = new RecordedCompletion[recorded.size()];
        recorded.forEach(completion -> byOrdinal[completion.stored().ordinal] = completion);
        this.completions = Collections.unmodifiableList(recorded);
        this.prompts = byNode.values().stream()
                .sorted(Comparator.comparingInt(Prompt::length))
                .toList();
        markAgents();
    }

    /** Of each prompt that has an answer, and of the root: its place below the prompts that are its prefixes. */
    private static Map<TokenTree.Node, Prompt> promptsByNode(RecordData data, OptionalInt endOfTurn) {
        record Step(TokenTree.Node node, Prompt above) {}
        var isPrompt = new IdentityHashMap<TokenTree.Node, Boolean>();
        data.completions().stream()
                .filter(completion -> completion.prompt != null)
                .forEach(completion -> isPrompt.put(completion.prompt, true));
        var root = new Prompt(null, data.tree().root(), -1);
        var byNode = new IdentityHashMap<TokenTree.Node, Prompt>();
        byNode.put(data.tree().root(), root);
        var steps = new ArrayDeque<Step>();
        steps.push(new Step(data.tree().root(), root));
        while (!steps.isEmpty()) {
            var step = steps.pop();
            for (var child : step.node.children()) {
                var above = step.above;
                if (isPrompt.containsKey(child)) {
                    int turn = endOfTurn.isPresent()
                            ? TokenTree.firstIndexOf(child, endOfTurn.getAsInt(), above.length())
                            : -1;
                    above = new Prompt(above, child, turn);
                    byNode.put(child, above);
                }
                steps.push(new Step(child, above));
            }
        }
        return byNode;
    }

    private void markAgents() {
        for (var completion : completions) {
            int number = agents.computeIfAbsent(completion.agent().orElse(null), unknown -> agents.size());
            completion.prompt().agentsBelow().set(number);
        }
        for (int i = prompts.size() - 1; i > 0; i--) {
            var prompt = prompts.get(i);
            prompt.parent().agentsBelow().or(prompt.agentsBelow());
        }
    }

    /** True where {@code prompt} or one below it has an answer of the completion's agent. */
    boolean agentGoesOn(RecordedCompletion completion, Prompt prompt) {
        return prompt.agentsBelow().get(agents.get(completion.agent().orElse(null)));
    }

    @Override
    public String sessionId() {
        return data.sessionId();
    }

    @Override
    public List<RecordedCompletion> completions() {
        return completions;
    }

    @Override
    public long failedCalls() {
        return data.failedCalls();
    }

    @Override
    public OptionalInt endOfTurnTokenId() {
        return endOfTurn;
    }

    RecordedCompletion byOrdinal(int ordinal) {
        return byOrdinal[ordinal];
    }

    /** Shortest first; the root is the first. */
    List<Prompt> prompts() {
        return prompts;
    }

    boolean hasImages() {
        return images;
    }

    Contents contents() {
        return data.contents();
    }

    EntryBody body(StoredCompletion completion) {
        return data.cache().body(completion.position);
    }

    /** A message or tool, read where nobody holds it. */
    Map<String, Object> value(int number) {
        var known = values.get(number);
        var value = known == null ? null : known.get();
        if (value == null) {
            var bytes = data.cache().bytes(data.contents().place(number));
            value = EntryBody.parse(PicturedJson.whole(bytes, this::picture), RecordedCompletion.OBJECT);
            values.put(number, new WeakReference<>(value));
        }
        return value;
    }

    private byte[] picture(String digest) {
        return data.cache().image(data.images().get(digest)).bytes();
    }

    /** How many pictures a message shows. */
    int pictures(int number) {
        var known = pictures.get(number);
        if (known == null) {
            known = countPictures(number);
            pictures.put(number, known);
        }
        return known;
    }

    private int countPictures(int number) {
        var kept = data.cache().bytes(data.contents().place(number));
        return Picture.urls(EntryBody.parse(PicturedJson.without(kept), new TypeReference<JsonNode>() {}))
                .size();
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Map<?, ?> parsed) {
        return (Map<String, Object>) parsed;
    }
}
