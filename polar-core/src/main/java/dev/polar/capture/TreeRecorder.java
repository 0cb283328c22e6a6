package dev.polar.capture;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.SessionRecord;
import dev.polar.wire.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
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
    private final TokenTree tree = new TokenTree();
    private final Contents contents = new Contents();
    private final List<StoredCompletion> completions = new ArrayList<>();
    private final Map<String, StoredCompletion> byId = new HashMap<>();
    /** Ordinals of delivered completions, as far as no entry says so. */
    private final BitSet delivered = new BitSet();

    private boolean flushing;

    private long sequence;
    private long failedCalls;
    private int longestPrompt;
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
            return ++sequence;
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
        lock.lock();
        try {
            requireOpen();
            if (byId.containsKey(entry.id())) {
                throw new IllegalArgumentException(
                        "completion " + entry.id() + " is in the record of session " + sessionId + " already");
            }
            ticket = append(entry);
        } finally {
            lock.unlock();
        }
        texts.seen(entry.sampledIds(), entry.tokenTexts());
        ticket.await();
    }

    /** An answer that was cut off, by us or by the engine, is one only where an id had come. */
    private static boolean answered(CompletionEntry entry) {
        boolean sampled = entry.sampledIds() != null && entry.sampledIds().length > 0;
        boolean ended = entry.finishReason() != null && !entry.finishReason().equals("abort");
        return ended || sampled;
    }

    private EntryLog.Ticket append(CompletionEntry entry) {
        int ordinal = completions.size();
        var head = EntryHead.of(entry);
        boolean prompted = entry.promptIds() != null && entry.promptIds().length > 0;
        var prompt = prompted ? grow(entry, ordinal) : null;
        var tokens = tokens(entry, prompt, ordinal);
        var end = prompted ? answer(prompt, entry.sampledIds(), ordinal) : null;
        var body = EntryBody.of(takeDelivered(), entry, head, tokens, contents);
        var ticket = log.append(EntryKind.COMPLETION, body.content(contents), true);
        contents.placed(ticket.position());
        add(new StoredCompletion(ordinal, head, prompt, end, entry.sampledIds(), entry.logprobs()), ticket.position());
        last = ticket;
        return ticket;
    }

    private TokenTree.Node grow(CompletionEntry entry, int ordinal) {
        var ids = entry.promptIds();
        return tree.extend(tree.root(), ids, 0, ids.length, tree.pictures(entry.images()), ordinal);
    }

    private TokenTree.Node answer(TokenTree.Node prompt, int[] sampled, int ordinal) {
        return sampled == null ? prompt : tree.extend(prompt, sampled, 0, sampled.length, new int[0], ordinal);
    }

    /** What of the prompt is new is the leaf that it made, if it made one. */
    private static EntryTokens tokens(CompletionEntry entry, TokenTree.Node prompt, int ordinal) {
        var given = entry.promptIds();
        int length = given == null ? -1 : given.length;
        int base = TokenTree.NOBODY;
        int shared = 0;
        var added = new int[0];
        if (prompt != null) {
            boolean grown = prompt.owner() == ordinal;
            base = grown ? prompt.parent().owner() : prompt.owner();
            shared = grown ? prompt.start() : length;
            added = Arrays.copyOfRange(given, shared, length);
        }
        return new EntryTokens(length, base, shared, added, entry.sampledIds(), entry.logprobs(), entry.tokenTexts());
    }

    private void add(StoredCompletion completion, long position) {
        completion.position = position;
        completions.add(completion);
        byId.put(completion.id, completion);
        longestPrompt = Math.max(longestPrompt, completion.promptLength());
        sequence = Math.max(sequence, completion.sequence);
    }

    @Override
    public void delivered(String completionId) {
        lock.lock();
        try {
            var completion = byId.get(completionId);
            if (completion != null && !completion.delivered && !closed) {
                completion.delivered = true;
                delivered.set(completion.ordinal);
                flushSoon();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Deliveries that no entry says yet: the next one does, so that an answer costs one write. */
    private int[] takeDelivered() {
        var ordinals = delivered.stream().toArray();
        delivered.clear();
        return ordinals;
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
            if (!delivered.isEmpty()) {
                var content = new EntryWriter().ids(takeDelivered()).toByteArray();
                last = log.append(EntryKind.DELIVERED, content, false);
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
            failedCalls++;
            last = log.append(EntryKind.FAILED_CALL, new byte[0], false);
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
            return completions.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int longestPrompt() {
        lock.lock();
        try {
            return longestPrompt;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public SessionRecord seal(
            Function<List<CallFacts>, List<CallLabel>> classifier, OptionalInt endOfTurn, Detokenizer detokenizer) {
        close();
        if (sealed != null) {
            throw new IllegalStateException("the record of session " + sessionId + " is sealed already");
        }
        return decide(labels(classifier), endOfTurn, detokenizer);
    }

    /** Takes no more entries, and waits until those that came are written. */
    private void close() {
        EntryLog.Ticket wait;
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                flush();
                contents.freeze();
                tree.number();
            }
            wait = last;
        } finally {
            lock.unlock();
        }
        if (wait != null) {
            wait.await();
        }
    }

    private List<CallLabel> labels(Function<List<CallFacts>, List<CallLabel>> classifier) {
        var arrived = completions.stream().sorted(SealedRecord.ARRIVAL).toList();
        var facts = arrived.stream()
                .map(completion -> cache.body(completion.position).callFacts(contents, cache))
                .toList();
        var labels = classifier.apply(facts);
        if (labels.size() != facts.size()) {
            throw new IllegalStateException("the classifier gave " + labels.size() + " labels for " + facts.size()
                    + " calls of session " + sessionId);
        }
        var byOrdinal = new ArrayList<CallLabel>(Collections.nCopies(labels.size(), null));
        for (int i = 0; i < labels.size(); i++) {
            byOrdinal.set(arrived.get(i).ordinal, labels.get(i));
        }
        return byOrdinal;
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
        var fixed = endOfTurn.isPresent() ? endOfTurn : Seal.learned(completions);
        var record = new SealedRecord(data(), labels, fixed);
        Tails.decide(record, detokenizer, texts);
        log.append(EntryKind.SEALED, Seal.write(record), true).await();
        log.settle();
        sealed = record;
        return record;
    }

    private RecordData data() {
        return new RecordData(sessionId, tree, contents, List.copyOf(completions), failedCalls, cache);
    }

    @Override
    public Optional<SessionRecord> sealed() {
        return Optional.ofNullable(sealed);
    }

    @Override
    public void writeCompletions(String nodeId, OutputStream out) throws IOException {
        try (var json = Json.MAPPER.getFactory().createGenerator(out)) {
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            // What broke off must not look whole.
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_JSON_CONTENT);
            json.writeStartObject();
            json.writeStringField("session_id", sessionId);
            json.writeStringField("node_id", nodeId);
            json.writeArrayFieldStart("completions");
            var own = new EntryCache(log, READ_BUDGET);
            var expander = new CompletionExpander(json, this::values, value -> own.bytes(place(value)));
            for (var completion : arrived()) {
                var body = own.body(completion.position);
                expander.write(completion, body, promptIds(completion, body), metadata(completion, body));
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }

    private List<StoredCompletion> arrived() {
        EntryLog.Ticket wait;
        List<StoredCompletion> arrived;
        lock.lock();
        try {
            wait = last;
            arrived = completions.stream().sorted(SealedRecord.ARRIVAL).toList();
        } finally {
            lock.unlock();
        }
        if (wait != null) {
            wait.await();
        }
        return arrived;
    }

    private int[] values(RequestForm.Listed listed) {
        lock.lock();
        try {
            return listed.values(contents);
        } finally {
            lock.unlock();
        }
    }

    private Contents.Place place(int value) {
        lock.lock();
        try {
            return contents.place(value);
        } finally {
            lock.unlock();
        }
    }

    private int[] promptIds(StoredCompletion completion, EntryBody body) {
        lock.lock();
        try {
            return completion.prompt != null
                    ? TokenTree.ids(completion.prompt, 0, completion.promptLength())
                    : body.tokens().promptLength() < 0 ? null : new int[0];
        } finally {
            lock.unlock();
        }
    }

    private Map<String, Object> metadata(StoredCompletion completion, EntryBody body) {
        var record = sealed;
        if (record == null) {
            return CompletionMetadata.of(completion, CallLabel.MAIN, body);
        }
        var labelled = record.byOrdinal(completion.ordinal);
        var metadata = CompletionMetadata.of(completion, labelled.label(), body);
        metadata.put(CompletionMetadata.TAILS, CompletionMetadata.tails(labelled));
        return metadata;
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
            case COMPLETION -> replayCompletion(in, position);
            case DELIVERED -> replayDelivered(in.ids());
            case FAILED_CALL -> failedCalls++;
            case SEALED -> replaySeal(in);
        }
    }

    private void replayCompletion(EntryReader in, long position) {
        contents.readNew(in, position);
        var body = EntryBody.read(in);
        replayDelivered(body.delivered());
        body.replay(contents);
        var tokens = body.tokens();
        int ordinal = completions.size();
        TokenTree.Node prompt = null;
        TokenTree.Node end = null;
        if (tokens.promptLength() > 0) {
            var from = tokens.base() == TokenTree.NOBODY
                    ? tree.root()
                    : tree.endingAt(completions.get(tokens.base()).end, tokens.shared());
            var pictures = tree.pictures(body.head().images());
            prompt = tree.extend(from, tokens.added(), 0, tokens.added().length, pictures, ordinal);
            end = answer(prompt, tokens.sampled(), ordinal);
        }
        texts.seen(tokens.sampled(), tokens.texts());
        add(new StoredCompletion(ordinal, body.head(), prompt, end, tokens.sampled(), tokens.logprobs()), position);
    }

    private void replayDelivered(int[] ordinals) {
        for (int ordinal : ordinals) {
            completions.get(ordinal).delivered = true;
        }
    }

    private void replaySeal(EntryReader in) {
        if (!closed) {
            close();
        }
        sealed = Seal.read(in, data());
    }
}
