package dev.polar.spi;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * What a classifier may look at of one model call.
 *
 * @param completionId null for a call that has no record
 * @param sequence order in which requests had been read
 * @param api the dialect
 * @param headers the request's headers that say who calls (names in lower case; none that holds a key)
 * @param system the leading system text, or the empty string
 * @param firstUser the first user message's text, or the empty string: the task, for agents that keep their history
 * @param lastUser the last user message's text, or the empty string
 * @param tools the names of the tools offered
 * @param messages number of messages
 * @param maxTokens the output limit that the agent asked for
 * @param streamed whether the agent asked for a stream
 */
public record CallFacts(
        String completionId,
        long sequence,
        ApiType api,
        Map<String, String> headers,
        String system,
        String firstUser,
        String lastUser,
        List<String> tools,
        int messages,
        OptionalInt maxTokens,
        boolean streamed) {
    /** Of a call with one user message. */
    public CallFacts(
            String completionId,
            long sequence,
            ApiType api,
            Map<String, String> headers,
            String system,
            String user,
            List<String> tools,
            int messages,
            OptionalInt maxTokens,
            boolean streamed) {
        this(completionId, sequence, api, headers, system, user, user, tools, messages, maxTokens, streamed);
    }
}
