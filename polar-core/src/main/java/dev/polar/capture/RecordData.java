package dev.polar.capture;

import java.util.List;

/**
 * What a record that takes no more entries consists of.
 *
 * @param completions by ordinal
 */
record RecordData(
        String sessionId,
        TokenTree tree,
        Contents contents,
        List<StoredCompletion> completions,
        long failedCalls,
        EntryCache cache) {}
