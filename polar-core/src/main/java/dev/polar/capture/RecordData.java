package dev.polar.capture;

import java.util.List;
import java.util.Map;

/**
 * What a record that takes no more entries consists of.
 *
 * @param completions by ordinal
 * @param images where the entries of pictures are, by digest
 */
record RecordData(
        String sessionId,
        TokenTree tree,
        Contents contents,
        List<StoredCompletion> completions,
        long failedCalls,
        Map<String, Long> images,
        EntryCache cache) {}
