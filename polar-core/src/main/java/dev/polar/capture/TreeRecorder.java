package dev.polar.capture;

import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.SessionRecord;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/** The record of one session: its tree in memory, its entries in a log. Thread-safe: one lock, under which nothing waits but for room in the log's queue. */
final class TreeRecorder implements SessionRecorder {
    private static final long READ_BUDGET = 4L << 20;
    private static final Duration DELIVERY_DELAY = Duration.ofMillis(200);

    private final ReentrantLock lock = new ReentrantLock();
    private final String sessionId;
    private final String taskId;
    private final EntryLog log;
    private final TokenTexts texts;
    private final EntryCache cache;
    private final RecordTree tree = new RecordTree();
    private final RecordedAnswers answers;
    private boolean flushing;
    private boolean closed;
    private volatile SealedRecord sealed;
    /** Waits for the last entry that was not waited for. */
    private EntryLog.Ticket last;

    TreeRecorder(String sessionId, String taskId, EntryLog log, TokenTexts texts) {
        this.sessionId = sessionId;
        this.taskId = taskId;
        this.log = log;
        this.texts = texts;
        this.cache = new EntryCache(log, READ_BUDGET);
        this.answers = new TreeAnswers(lock, tree, cache, texts);
    }

    @Override
    public String sessionId() {
        return sessionId;
    }

    @Override
    public String taskId() {
        return taskId;
    }

    @Override
    public long nextSequence() {
        lock.lock();
        try {
            return tree.nextSequence();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void record(CompletionEntry entry) {
        if (!answered(entry)) {
            failedCall();
            return;
        }
        EntryLog.Ticket ticket;
        var pictures = entry.pictures();
        var json = new PicturedJson(pictures);
        lock.lock();
        try {
            requireOpen();
            if (tree.has(entry.id())) {
                throw new IllegalArgumentException(
                        "completion " + entry.id() + " is in the record of session " + sessionId + " already");
            }
            pictures.forEach(this::add);
            tree.add(entry, json, content -> append(EntryKind.COMPLETION, content, true));
            ticket = last;
        } finally {
            lock.unlock();
        }
        texts.seen(entry.sampledIds(), entry.tokenTexts());
        ticket.await();
    }

    /** The completion's entry comes after it, so that whoever waits for that has waited for both. */
    private void add(Picture picture) {
        if (picture.bytes() != null && !tree.hasImage(picture.digest())) {
            tree.image(picture.digest(), append(EntryKind.IMAGE, StoredImage.content(picture), false));
        }
    }

    /** An answer that was cut off, by us or by the engine, is one only where an id had come. */
    private static boolean answered(CompletionEntry entry) {
        boolean sampled = entry.sampledIds() != null && entry.sampledIds().length > 0;
        boolean ended = entry.finishReason() != null && !entry.finishReason().equals("abort");
        return ended || sampled;
    }

    private long append(EntryKind kind, byte[] content, boolean answer) {
        last = log.append(kind, content, answer);
        return last.position();
    }

    @Override
    public void delivered(String completionId) {
        lock.lock();
        try {
            if (!closed && tree.delivered(completionId)) {
                flushSoon();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Where no other entry comes, deliveries are written a moment later. */
    private void flushSoon() {
        if (flushing) {
            return;
        }
        flushing = true;
        Thread.ofVirtual().name("record-deliveries").start(() -> {
            try {
                Thread.sleep(DELIVERY_DELAY);
                flush();
            } catch (InterruptedException nobodyKnowsThisThread) {
                Thread.currentThread().interrupt();
            } catch (RecordException told) {
                // whoever uses the record next is told too
            }
        });
    }

    /** Writes what is known and was not worth a write of its own. */
    void flush() {
        lock.lock();
        try {
            flushing = false;
            var delivered = tree.takeDelivered();
            if (delivered.length > 0) {
                append(EntryKind.DELIVERED, new EntryWriter().ids(delivered).toByteArray(), false);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void failedCall() {
        lock.lock();
        try {
            requireOpen();
            tree.failedCall();
            append(EntryKind.FAILED_CALL, new byte[0], false);
        } finally {
            lock.unlock();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(
                    "the record of session " + sessionId + " is sealed: nothing is appended any more");
        }
    }

    @Override
    public int completionCount() {
        lock.lock();
        try {
            return tree.completions().size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int longestPrompt() {
        lock.lock();
        try {
            return tree.longestPrompt();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public RecordedAnswers answers() {
        return answers;
    }

    @Override
    public SessionRecord seal(
            Function<List<CallFacts>, List<CallLabel>> classifier, OptionalInt endOfTurn, Detokenizer detokenizer) {
        close();
        if (sealed != null) {
            throw new IllegalStateException("the record of session " + sessionId + " is sealed already");
        }
        return decide(Seal.labels(sessionId, tree, cache, classifier), endOfTurn, detokenizer);
    }

    /** Takes no more entries, and waits until those that came are written. */
    private void close() {
        EntryLog.Ticket wait;
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                flush();
                tree.freeze();
            }
            wait = last;
        } finally {
            lock.unlock();
        }
        if (wait != null) {
            wait.await();
        }
    }

    @Override
    public SessionRecord decideAgain(OptionalInt endOfTurn, Detokenizer detokenizer) {
        var record = sealed;
        if (record == null) {
            throw new IllegalStateException("the record of session " + sessionId + " is not sealed");
        }
        return decide(Seal.labels(record), endOfTurn, detokenizer);
    }

    private SealedRecord decide(List<CallLabel> labels, OptionalInt endOfTurn, Detokenizer detokenizer) {
        var fixed = endOfTurn.isPresent() ? endOfTurn : tree.endOfTurn();
        var record = new SealedRecord(tree.data(sessionId, cache), labels, fixed);
        Tails.decide(record, detokenizer, texts);
        log.append(EntryKind.SEALED, Seal.write(record), true).await();
        log.settle();
        sealed = record;
        return record;
    }

    @Override
    public Optional<StoredImage> image(String digest) {
        EntryLog.Ticket wait;
        OptionalLong position;
        lock.lock();
        try {
            wait = last;
            position = tree.imagePosition(digest);
        } finally {
            lock.unlock();
        }
        if (position.isEmpty()) {
            return Optional.empty();
        }
        if (wait != null) {
            wait.await();
        }
        return Optional.of(StoredImage.read(log.read(position.getAsLong())));
    }

    @Override
    public Optional<SessionRecord> sealed() {
        return Optional.ofNullable(sealed);
    }

    @Override
    public void writeCompletions(String nodeId, OutputStream out) throws IOException {
        var arrived = arrived();
        new CompletionList(lock, tree, new EntryCache(log, READ_BUDGET), sealed).write(sessionId, nodeId, arrived, out);
    }

    private List<StoredCompletion> arrived() {
        EntryLog.Ticket wait;
        List<StoredCompletion> arrived;
        lock.lock();
        try {
            wait = last;
            arrived = tree.completions().stream().sorted(SealedRecord.ARRIVAL).toList();
        } finally {
            lock.unlock();
        }
        if (wait != null) {
            wait.await();
        }
        return arrived;
    }

    /** What its memory grows with. */
    TokenTree.Size size() {
        lock.lock();
        try {
            return tree.size();
        } finally {
            lock.unlock();
        }
    }

    /** Takes up an entry of the log as it is read back. */
    void replay(EntryKind kind, byte[] content, long position) {
        var in = new EntryReader(content, 0);
        switch (kind) {
            case HEADER -> throw new IllegalArgumentException("a second header");
            case COMPLETION -> {
                var tokens = tree.replayCompletion(in, position);
                texts.seen(tokens.sampled(), tokens.texts());
            }
            case DELIVERED -> tree.replayDelivered(in.ids());
            case FAILED_CALL -> tree.failedCall();
            case IMAGE -> tree.image(in.text(), position);
            case SEALED -> replaySeal(in);
        }
    }

    private void replaySeal(EntryReader in) {
        if (!closed) {
            close();
        }
        sealed = Seal.read(in, tree.data(sessionId, cache));
    }
}
