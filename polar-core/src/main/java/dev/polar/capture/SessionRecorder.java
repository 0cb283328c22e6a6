package dev.polar.capture;

import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.SessionRecord;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;

/** The record of one session while it grows. Thread-safe. */
public interface SessionRecorder {
    String sessionId();

    /** The next place in the order in which requests are read: take it when a request has been read, and again when Polar asks again itself. */
    long nextSequence();

    /**
     * Adds an answered call. When this returns it is in the record, and on the disk where {@code fsync: answer} says so. Waits where the disk is behind; loses nothing.
     *
     * @throws IllegalStateException once the record is sealed
     * @throws RecordException where it could not be written
     */
    void record(CompletionEntry entry);

    /** The whole answer was written to the agent. Unknown ids are ignored. */
    void delivered(String completionId);

    /** A call that sampled nothing that was seen. */
    void failedCall();

    int completionCount();

    /** Ids in the longest prompt so far, 0 before the first. */
    int longestPrompt();

    /**
     * Ends the record: labels the calls, fixes the end-of-turn id, decides the tails. Nothing is appended afterwards.
     *
     * @param classifier labels all calls, in order of their sequence
     * @param endOfTurn the configured or the engine's id; empty means that it is learned
     * @param detokenizer the engine's
     */
    SessionRecord seal(
            Function<List<CallFacts>, List<CallLabel>> classifier, OptionalInt endOfTurn, Detokenizer detokenizer);
}
