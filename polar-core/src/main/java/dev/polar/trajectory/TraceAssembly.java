package dev.polar.trajectory;

import dev.polar.capture.RecordedCompletion;
import dev.polar.capture.TailClass;
import dev.polar.spi.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes one chain down as a trace: the first prompt, then what was sampled and what was given between. Its metadata says in {@code images} which of its messages show which pictures: the
 * index counts {@code prompt_messages}, then {@code response_messages}.
 */
final class TraceAssembly {
    private final Chain chain;
    private final int[] responseIds;
    private final int[] lossMask;
    private final double[] logprobs;
    private final List<Map<String, Object>> spans = new ArrayList<>();
    private final List<Map<String, Object>> messages = new ArrayList<>();
    private final List<Map<String, Object>> images = new ArrayList<>();
    private int length;
    private TailClass loosest = TailClass.EXACT;

    private TraceAssembly(Chain chain) {
        this.chain = chain;
        int total = chain.steps().stream()
                .mapToInt(step -> step.given() + step.completion().responseLength())
                .sum();
        this.responseIds = new int[total];
        this.lossMask = new int[total];
        this.logprobs = new double[total];
    }

    /** The trace of a chain. */
    static Trace of(Chain chain) {
        var assembly = new TraceAssembly(chain);
        var steps = chain.steps();
        for (int i = 0; i < steps.size(); i++) {
            assembly.add(steps.get(i), i == 0 ? null : steps.get(i - 1).completion());
        }
        return assembly.trace();
    }

    private void add(Chain.Step step, RecordedCompletion before) {
        var completion = step.completion();
        if (before != null) {
            loosest = step.tail().compareTo(loosest) > 0 ? step.tail() : loosest;
            var given = completion.promptIds(step.from(), completion.promptLength());
            System.arraycopy(given, 0, responseIds, length, given.length);
            length += given.length;
            if (!completion.images().isEmpty()) {
                int known = chain.first().promptMessages().size() + messages.size();
                addImages(completion, Messages.firstInserted(before, completion), known);
            }
            messages.addAll(Messages.insertedAfter(before, completion));
        } else {
            addImages(completion, 0, 0);
        }
        int start = length;
        System.arraycopy(completion.responseIds(), 0, responseIds, start, completion.responseLength());
        System.arraycopy(completion.logprobs(), 0, logprobs, start, completion.responseLength());
        length += completion.responseLength();
        Arrays.fill(lossMask, start, length, 1);
        messages.add(completion.responseMessage());
        spans.add(span(step, start));
    }

    /**
     * Says where the pictures of a prompt are that the trace does not show yet.
     *
     * @param from index of the first new message in the prompt
     * @param at its index in the trace
     */
    private void addImages(RecordedCompletion completion, int from, int at) {
        var places = completion.images();
        var messages = completion.imageMessages();
        for (int i = 0; i < Math.min(places.size(), messages.size()); i++) {
            if (messages.get(i) >= from) {
                var image = new LinkedHashMap<String, Object>();
                image.put("message_index", messages.get(i) - from + at);
                image.put("digest", places.get(i).digest());
                image.put("media_type", places.get(i).mediaType());
                images.add(image);
            }
        }
    }

    private Map<String, Object> span(Chain.Step step, int start) {
        var span = new LinkedHashMap<String, Object>();
        span.put("completion_id", step.completion().id());
        span.put("start", start);
        span.put("end", length);
        span.put("tail", step.tailWord());
        if (loosest != TailClass.EXACT) {
            span.put("context", (loosest == TailClass.RETOKENIZED ? Merge.SAME_TEXT : Merge.ANY).wire());
        }
        return span;
    }

    private Trace trace() {
        var first = chain.first();
        var metadata = new LinkedHashMap<String, Object>();
        metadata.put("completion_metadata", completionMetadata());
        metadata.put("spans", spans);
        metadata.put("images", images);
        first.segmentKind().ifPresent(kind -> metadata.put("segment_kind", kind));
        metadata.putAll(chain.origin());
        return new Trace(
                first.promptIds(),
                responseIds,
                lossMask,
                first.promptMessages(),
                messages,
                first.tools().orElse(null),
                chain.steps().getLast().completion().finishReason(),
                logprobs,
                null,
                metadata);
    }

    private List<Map<String, Object>> completionMetadata() {
        var steps = chain.steps();
        var all = new ArrayList<Map<String, Object>>(steps.size());
        for (int i = 0; i < steps.size(); i++) {
            var completion = steps.get(i).completion();
            var metadata = completion.metadata();
            describe(spans.get(i), completion, metadata);
            spans.get(i).putAll(steps.get(i).notes());
            var listed = new LinkedHashMap<String, Object>();
            listed.put("completion_id", completion.id());
            listed.putAll(metadata);
            all.add(listed);
        }
        return all;
    }

    /** Whose call it was, and what it was sampled by. */
    private static void describe(
            Map<String, Object> span, RecordedCompletion completion, Map<String, Object> metadata) {
        span.put("role", completion.role());
        completion.agent().ifPresent(agent -> span.put("agent", agent));
        completion.segmentKind().ifPresent(kind -> span.put("segment_kind", kind));
        for (var key : List.of("policy_version", "policy_version_end", "sampling", "guided")) {
            if (metadata.get(key) != null) {
                span.put(key, metadata.get(key));
            }
        }
    }
}
