package dev.polar.capture;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.polar.spi.ApiType;
import dev.polar.spi.CallLabel;
import dev.polar.spi.Completion;
import dev.polar.spi.ImagePlace;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** A completion of a sealed record, with its label and its place among the prompts. Immutable. */
public final class RecordedCompletion implements Completion {
    private static final int[] NO_IDS = {};
    private static final double[] NO_LOGPROBS = {};

    private final SealedRecord record;
    private final StoredCompletion stored;
    private final CallLabel label;
    private final Prompt prompt;
    private final int index;

    RecordedCompletion(SealedRecord record, StoredCompletion stored, CallLabel label, Prompt prompt, int index) {
        this.record = record;
        this.stored = stored;
        this.label = label;
        this.prompt = prompt;
        this.index = index;
    }

    /** The record that holds it. */
    public SealedRecord record() {
        return record;
    }

    CallLabel label() {
        return label;
    }

    StoredCompletion stored() {
        return stored;
    }

    /** Its place in {@link SealedRecord#completions()}. */
    public int index() {
        return index;
    }

    /** Its prompt; the root where the engine gave no prompt ids. */
    public Prompt prompt() {
        return prompt;
    }

    /** The dialect of the call. */
    public ApiType api() {
        return stored.api;
    }

    /** The model that the agent asked for, or null where its request has no {@code model}. */
    public String modelRequested() {
        return stored.modelRequested;
    }

    /** The model that answered, or null where the engine named none. */
    public String modelUsed() {
        return stored.modelUsed;
    }

    /** True where {@code later}, of which this completion's prompt is a proper prefix, goes on with its sampled ids. */
    public boolean isContinuedBy(Prompt later) {
        var from = stored.prompt.depth();
        int to = from + responseLength();
        if (stored.end.isAbove(later.node())) {
            return true;
        }
        // The tree takes a picture at a sampled id for another id; a tail is compared by ids alone.
        return record.hasImages()
                && later.length() >= to
                && Arrays.equals(stored.sampled, TokenTree.ids(later.node(), from, to));
    }

    /** Number of sampled ids. */
    public int responseLength() {
        return stored.sampled == null ? 0 : stored.sampled.length;
    }

    @Override
    public int[] promptIds(int from, int to) {
        return TokenTree.ids(prompt.node(), from, to);
    }

    @Override
    public String id() {
        return stored.id;
    }

    @Override
    public long sequence() {
        return stored.sequence;
    }

    @Override
    public String role() {
        return label.role();
    }

    @Override
    public Optional<String> agent() {
        return Optional.ofNullable(label.agent());
    }

    @Override
    public Optional<String> segmentKind() {
        return Optional.ofNullable(label.segmentKind());
    }

    @Override
    public boolean delivered() {
        return stored.delivered;
    }

    @Override
    public Optional<String> untrainable() {
        return Optional.ofNullable(stored.untrainable);
    }

    @Override
    public int promptLength() {
        return stored.promptLength();
    }

    @Override
    public int[] promptIds() {
        return promptIds(0, promptLength());
    }

    @Override
    public int[] responseIds() {
        return stored.sampled == null ? NO_IDS : stored.sampled;
    }

    @Override
    public double[] logprobs() {
        return stored.logprobs == null ? NO_LOGPROBS : stored.logprobs;
    }

    @Override
    public List<ImagePlace> images() {
        return stored.images;
    }

    /** Of each of the {@link #images()} the index of its message in {@link #promptMessages()}. A picture that no message shows, which only a made-up record has, is left out at the end. */
    public List<Integer> imageMessages() {
        var indexes = new ArrayList<Integer>();
        var messages = stored.images.isEmpty()
                ? new int[0]
                : record.body(stored)
                        .request()
                        .listed("messages")
                        .map(listed -> listed.values(record.contents()))
                        .orElse(new int[0]);
        for (int i = 0; i < messages.length; i++) {
            indexes.addAll(Collections.nCopies(record.pictures(messages[i]), i));
        }
        return indexes;
    }

    @Override
    public boolean extendsPromptOf(Completion other) {
        var shorter = ((RecordedCompletion) other).prompt;
        return !shorter.isRoot() && shorter != prompt && shorter.node().isAbove(prompt.node());
    }

    @Override
    public Set<String> retokenizedOf() {
        var answers = new TreeSet<>(Comparator.comparingInt(RecordedCompletion::index));
        for (var at = prompt; !at.isRoot(); at = at.parent()) {
            for (var answer : at.retokenized()) {
                if (answer.agent().equals(agent()) && !answer.isContinuedBy(prompt)) {
                    answers.add(answer);
                }
            }
        }
        var ids = new LinkedHashSet<String>();
        answers.forEach(answer -> ids.add(answer.id()));
        return ids;
    }

    @Override
    public String finishReason() {
        return stored.finishReason;
    }

    @Override
    public boolean endedByTemplate() {
        return stored.endedByTemplate;
    }

    @Override
    public boolean endsWithStopId() {
        int length = responseLength();
        var endOfTurn = record.endOfTurnTokenId();
        return length > 0
                && (stored.stoppedById || endOfTurn.isPresent() && stored.sampled[length - 1] == endOfTurn.getAsInt());
    }

    @Override
    public List<Map<String, Object>> promptMessages() {
        return shared("messages").orElse(List.of());
    }

    @Override
    public Optional<List<Map<String, Object>>> tools() {
        return shared("tools");
    }

    private Optional<List<Map<String, Object>>> shared(String field) {
        return record.body(stored)
                .request()
                .listed(field)
                .map(listed -> new SharedValues(record, listed.values(record.contents())));
    }

    @Override
    public Map<String, Object> responseMessage() {
        return record.body(stored).answerTree().get("message") instanceof Map<?, ?> message
                ? SealedRecord.object(message)
                : Map.of();
    }

    @Override
    public Map<String, Object> metadata() {
        return CompletionMetadata.of(record, this);
    }

    /** A list whose elements are read when they are asked for. */
    private static final class SharedValues extends AbstractList<Map<String, Object>> {
        private final SealedRecord record;
        private final int[] values;

        private SharedValues(SealedRecord record, int[] values) {
            this.record = record;
            this.values = values;
        }

        @Override
        public Map<String, Object> get(int index) {
            return record.value(values[index]);
        }

        @Override
        public int size() {
            return values.length;
        }
    }

    static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};
}
