package dev.polar.capture;

import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.SessionRecord;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/** The record of one session while it grows. Thread-safe. */
public interface SessionRecorder {
    String sessionId();

    String taskId();

    /** The next place in the order in which requests are read: take it when a request has been read, and again when Polar asks again itself. */
    long nextSequence();

    /**
     * Adds an answered call. When this returns it is in the record's file, and forced to the disk where {@code fsync: answer} says so. Waits where the disk is behind; loses nothing. An
     * interrupt does not end the wait; it stays set. An entry without a sampled id whose answer was cut off (no finish reason, or {@code abort}) is counted as a failed call.
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

    /** What is recorded so far, to go on from. */
    RecordedAnswers answers();

    /**
     * Ends the record: labels the calls, fixes the end-of-turn id, decides the tails. Nothing is appended afterwards.
     *
     * @param classifier labels all calls, in order of their sequence
     * @param endOfTurn the configured or the engine's id; empty means that it is learned
     * @param detokenizer the engine's
     */
    SessionRecord seal(
            Function<List<CallFacts>, List<CallLabel>> classifier, OptionalInt endOfTurn, Detokenizer detokenizer);

    /**
     * Decides a sealed record's tails anew, for another end-of-turn id. Labels stay.
     *
     * @throws IllegalStateException where it is not sealed
     */
    SessionRecord decideAgain(OptionalInt endOfTurn, Detokenizer detokenizer);

    /**
     * A picture that a prompt of this record shows, once its completion is recorded; empty where none has this digest, and for one that came as an address.
     *
     * @throws RecordException where it cannot be read
     */
    Optional<StoredImage> image(String digest);

    /** The record, once it is sealed. */
    Optional<SessionRecord> sealed();

    /**
     * Writes {@code {session_id, node_id, completions}} with every completion expanded, in order of sequence, one at a time. What is recorded meanwhile may be missing. Does not close {@code out}.
     *
     * @throws RecordException where the record cannot be read
     */
    void writeCompletions(String nodeId, OutputStream out) throws IOException;
}
