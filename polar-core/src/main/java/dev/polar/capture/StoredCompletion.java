package dev.polar.capture;

import dev.polar.spi.ApiType;
import dev.polar.spi.ImagePlace;
import java.util.List;

/**
 * What memory holds of a completion: its place in the tree, what it sampled, and where its entry is. Everything else is read from the entry.
 */
final class StoredCompletion {
    final int ordinal;
    final String id;
    final long sequence;
    final int choiceIndex;
    final ApiType api;
    final String modelRequested;
    final String modelUsed;
    final String finishReason;
    final String untrainable;
    final boolean endedByTemplate;
    final boolean stoppedById;
    final List<ImagePlace> images;
    /** Null where the engine gave no prompt ids, or an empty list. */
    final TokenTree.Node prompt;
    /** Where prompt and answer end; as {@link #prompt} where nothing was sampled. */
    final TokenTree.Node end;
    /** Null where the engine gave no list. */
    final int[] sampled;
    /** Null where the engine gave no list. */
    final double[] logprobs;
    /** Where the entry is. Set once, before anyone else sees this. */
    long position;

    volatile boolean delivered;

    StoredCompletion(
            int ordinal, EntryHead head, TokenTree.Node prompt, TokenTree.Node end, int[] sampled, double[] logprobs) {
        this.ordinal = ordinal;
        this.id = head.id();
        this.sequence = head.sequence();
        this.choiceIndex = head.choiceIndex();
        this.api = head.api();
        this.modelRequested = head.modelRequested();
        this.modelUsed = head.modelUsed();
        this.finishReason = head.finishReason();
        this.untrainable = head.untrainable();
        this.endedByTemplate = head.endedByTemplate();
        this.stoppedById = head.stoppedById();
        this.images = head.images();
        this.prompt = prompt;
        this.end = end;
        this.sampled = sampled;
        this.logprobs = logprobs;
    }

    int promptLength() {
        return prompt == null ? 0 : prompt.depth();
    }
}
