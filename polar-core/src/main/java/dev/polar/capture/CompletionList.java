package dev.polar.capture;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.polar.spi.CallLabel;
import dev.polar.wire.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** A record's completions as they go out, while it may grow: places are looked up under its recorder's lock, and entries are read without it, so that nobody waits for a slow reader. For one use, by one thread. */
final class CompletionList {
    private final ReentrantLock lock;
    private final RecordTree tree;
    private final EntryCache entries;
    private final SealedRecord sealed;

    /**
     * @param lock the tree's
     * @param entries of this list alone
     * @param sealed null before the end
     */
    CompletionList(ReentrantLock lock, RecordTree tree, EntryCache entries, SealedRecord sealed) {
        this.lock = lock;
        this.tree = tree;
        this.entries = entries;
        this.sealed = sealed;
    }

    /**
     * Writes {@code {session_id, node_id, completions}}; does not close {@code out}.
     *
     * @param completions in the order in which they are written
     */
    void write(String sessionId, String nodeId, List<StoredCompletion> completions, OutputStream out)
            throws IOException {
        try (var json = Json.MAPPER.getFactory().createGenerator(out)) {
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            // What broke off must not look whole.
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_JSON_CONTENT);
            json.writeStartObject();
            json.writeStringField("session_id", sessionId);
            json.writeStringField("node_id", nodeId);
            json.writeArrayFieldStart("completions");
            var expander = new CompletionExpander(json, new Source());
            for (var completion : completions) {
                var body = entries.body(completion.position);
                var metadata = metadata(completion, body);
                // Of who called: in the record alone, and not in each trace.
                metadata.put("headers", body.facts().headers());
                metadata.put("streamed", body.facts().streamed());
                var prompt = locked(
                        () -> RecordTree.promptIds(completion, body.tokens()).orElse(null));
                expander.write(completion, body, prompt, metadata);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }

    private Map<String, Object> metadata(StoredCompletion completion, EntryBody body) {
        if (sealed == null) {
            return CompletionMetadata.of(completion, CallLabel.MAIN, body);
        }
        var labelled = sealed.byOrdinal(completion.ordinal);
        var metadata = CompletionMetadata.of(completion, labelled.label(), body);
        metadata.put(CompletionMetadata.TAILS, CompletionMetadata.tails(labelled));
        return metadata;
    }

    private final class Source implements RequestForm.Source {
        @Override
        public int[] elements(RequestForm.Listed listed) {
            return locked(() -> listed.values(tree.contents()));
        }

        @Override
        public byte[] value(int value) {
            return entries.bytes(locked(() -> tree.contents().place(value)));
        }

        @Override
        public byte[] picture(String digest) {
            return entries.image(locked(() -> tree.imagePosition(digest).orElseThrow()))
                    .bytes();
        }
    }

    private <T> T locked(Supplier<T> look) {
        lock.lock();
        try {
            return look.get();
        } finally {
            lock.unlock();
        }
    }
}
