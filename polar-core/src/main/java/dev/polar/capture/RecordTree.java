package dev.polar.capture;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/**
 * What memory holds of a record: the tree of ids, the values that entries share, and the completions in the order in which they came. It grows by calls, and by entries that are read back, to
 * the same. Not thread-safe: its recorder's lock guards it.
 */
final class RecordTree {
    private static final int[] NO_IDS = {};

    private final TokenTree tree = new TokenTree();
    private final Contents contents = new Contents();
    private final List<StoredCompletion> completions = new ArrayList<>();
    private final Map<String, StoredCompletion> byId = new HashMap<>();
    /** Where the entries of pictures are, by digest. */
    private final Map<String, Long> images = new HashMap<>();
    /** Ordinals of delivered completions, as far as no entry says so. */
    private final BitSet delivered = new BitSet();

    private final LearnedEnd endOfTurn = new LearnedEnd();
    private long sequence;
    private long failedCalls;
    private int longestPrompt;

    long nextSequence() {
        return ++sequence;
    }

    int longestPrompt() {
        return longestPrompt;
    }

    /** The id that ends most of the answers so far that ended by the template's own stop; empty for a tie, and as long as none did. */
    OptionalInt endOfTurn() {
        return endOfTurn.id();
    }

    /** In order of recording. */
    List<StoredCompletion> completions() {
        return completions;
    }

    Contents contents() {
        return contents;
    }

    TokenTree.Size size() {
        return tree.size();
    }

    Optional<StoredCompletion> completion(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    boolean has(String completionId) {
        return byId.containsKey(completionId);
    }

    void failedCall() {
        failedCalls++;
    }

    boolean hasImage(String digest) {
        return images.containsKey(digest);
    }

    /** Takes up a picture whose entry is at {@code position}. */
    void image(String digest, long position) {
        images.putIfAbsent(digest, position);
    }

    /** Where a picture's entry is. */
    OptionalLong imagePosition(String digest) {
        var position = images.get(digest);
        return position == null ? OptionalLong.empty() : OptionalLong.of(position);
    }

    /**
     * Takes up an answered call.
     *
     * @param json keeps the call's JSON without pictures that were taken up before
     * @param write gives the entry's content a place and returns it
     */
    void add(CompletionEntry entry, PicturedJson json, ToLongFunction<byte[]> write) {
        int ordinal = completions.size();
        var head = EntryHead.of(entry);
        var ids = entry.promptIds();
        var prompt = ids == null || ids.length == 0
                ? null
                : tree.extend(tree.root(), ids, 0, ids.length, tree.pictures(entry.images()), ordinal);
        var tokens = tokens(entry, prompt, ordinal);
        var end = answer(prompt, entry.sampledIds(), ordinal);
        var body = EntryBody.of(takeDelivered(), entry, head, tokens, contents, json);
        long position = write.applyAsLong(body.content(contents));
        contents.placed(position);
        add(new StoredCompletion(ordinal, head, prompt, end, entry.sampledIds(), entry.logprobs()), position);
    }

    private TokenTree.Node answer(TokenTree.Node prompt, int[] sampled, int ordinal) {
        return prompt == null || sampled == null
                ? prompt
                : tree.extend(prompt, sampled, 0, sampled.length, NO_IDS, ordinal);
    }

    /** What of the prompt is new is the leaf that it made, if it made one. */
    private static EntryTokens tokens(CompletionEntry entry, TokenTree.Node prompt, int ordinal) {
        var given = entry.promptIds();
        int length = given == null ? -1 : given.length;
        int base = TokenTree.NOBODY;
        int shared = 0;
        var added = NO_IDS;
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
        endOfTurn.add(completion);
        longestPrompt = Math.max(longestPrompt, completion.promptLength());
        sequence = Math.max(sequence, completion.sequence);
    }

    /** True where that is news. */
    boolean delivered(String completionId) {
        var completion = byId.get(completionId);
        boolean news = completion != null && !completion.delivered;
        if (news) {
            completion.delivered = true;
            delivered.set(completion.ordinal);
        }
        return news;
    }

    /** Deliveries that no entry says yet: the next one does, so that an answer costs one write. */
    int[] takeDelivered() {
        var ordinals = delivered.stream().toArray();
        delivered.clear();
        return ordinals;
    }

    /** Takes up a completion's entry that is read back; returns its tokens. */
    EntryTokens replayCompletion(EntryReader in, long position) {
        contents.readNew(in, position);
        var body = EntryBody.read(in);
        replayDelivered(body.delivered());
        body.replay(contents);
        var tokens = body.tokens();
        int ordinal = completions.size();
        var prompt = tokens.promptLength() > 0 ? replayPrompt(body, ordinal) : null;
        var end = answer(prompt, tokens.sampled(), ordinal);
        add(new StoredCompletion(ordinal, body.head(), prompt, end, tokens.sampled(), tokens.logprobs()), position);
        return tokens;
    }

    private TokenTree.Node replayPrompt(EntryBody body, int ordinal) {
        var tokens = body.tokens();
        var from = tokens.base() == TokenTree.NOBODY
                ? tree.root()
                : tree.endingAt(completions.get(tokens.base()).end, tokens.shared());
        var pictures = tree.pictures(body.head().images());
        return tree.extend(from, tokens.added(), 0, tokens.added().length, pictures, ordinal);
    }

    /** Takes up deliveries that an entry says. */
    void replayDelivered(int[] ordinals) {
        for (int ordinal : ordinals) {
            completions.get(ordinal).delivered = true;
        }
    }

    /** Nothing comes any more. */
    void freeze() {
        contents.freeze();
        tree.number();
    }

    /** The prompt's ids; empty where the engine gave none. */
    static Optional<int[]> promptIds(StoredCompletion completion, EntryTokens tokens) {
        if (completion.prompt != null) {
            return Optional.of(TokenTree.ids(completion.prompt, 0, completion.promptLength()));
        }
        return tokens.promptLength() < 0 ? Optional.empty() : Optional.of(NO_IDS);
    }

    /** A frozen tree's data. */
    RecordData data(String sessionId, EntryCache cache) {
        return new RecordData(
                sessionId, tree, contents, List.copyOf(completions), failedCalls, Map.copyOf(images), cache);
    }
}
