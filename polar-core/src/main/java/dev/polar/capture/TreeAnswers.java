package dev.polar.capture;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.ReentrantLock;

/** The answers of a record's tree while it grows. Thread-safe: under the recorder's lock, except for what is read from the file. */
final class TreeAnswers implements RecordedAnswers {
    private static final int[] NO_IDS = {};

    private final ReentrantLock lock;
    private final RecordTree tree;
    private final EntryCache cache;
    private final TokenTexts texts;

    TreeAnswers(ReentrantLock lock, RecordTree tree, EntryCache cache, TokenTexts texts) {
        this.lock = lock;
        this.tree = tree;
        this.cache = cache;
        this.texts = texts;
    }

    /** A stored completion does not change, but for its delivery; the nodes that it points to do. */
    private StoredCompletion completion(String id) {
        lock.lock();
        try {
            return tree.completion(id)
                    .orElseThrow(() -> new IllegalArgumentException("completion " + id + " is not in the record"));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean has(String completionId) {
        lock.lock();
        try {
            return tree.has(completionId);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int[] promptIds(String completionId, int from, int to) {
        lock.lock();
        try {
            return TokenTree.ids(completion(completionId).prompt, from, to);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int[] sampledIds(String completionId) {
        var sampled = completion(completionId).sampled;
        return sampled == null ? NO_IDS : sampled;
    }

    @Override
    public boolean endsWithStopId(String completionId) {
        return completion(completionId).stoppedById;
    }

    @Override
    public Map<String, Object> message(String completionId) {
        var answer = cache.body(completion(completionId).position).answerTree();
        return answer.get("message") instanceof Map<?, ?> message ? SealedRecord.object(message) : Map.of();
    }

    @Override
    public OptionalInt endOfTurn() {
        lock.lock();
        try {
            return tree.endOfTurn();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<String> seenText(int[] ids) {
        return texts.of(ids);
    }
}
