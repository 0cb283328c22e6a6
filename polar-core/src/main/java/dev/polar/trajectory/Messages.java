package dev.polar.trajectory;

import dev.polar.capture.RecordedCompletion;
import java.util.List;
import java.util.Map;

/** What an agent put between two of its turns. */
final class Messages {
    private Messages() {}

    /** The messages of {@code later}'s prompt after those of {@code before}'s and the answer to it. */
    static List<Map<String, Object>> insertedAfter(RecordedCompletion before, RecordedCompletion later) {
        var messages = later.promptMessages();
        return messages.subList(firstInserted(before, later), messages.size());
    }

    /** Where in {@code later}'s prompt they begin. */
    static int firstInserted(RecordedCompletion before, RecordedCompletion later) {
        var messages = later.promptMessages();
        int from = Math.min(before.promptMessages().size(), messages.size());
        boolean answer =
                from < messages.size() && "assistant".equals(messages.get(from).get("role"));
        return answer ? from + 1 : from;
    }
}
