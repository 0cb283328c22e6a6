package dev.polar.proxy;

import dev.polar.capture.CompletionEntry;
import dev.polar.capture.Detokenizer;
import dev.polar.capture.RecordStore;
import dev.polar.capture.RecordedAnswers;
import dev.polar.capture.SessionRecorder;
import dev.polar.capture.StoredImage;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.SessionRecord;
import dev.polar.topology.GatewayConfig;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** A real record that is kept in memory, and its entries as they come, to look at them. Never sealed. */
final class MemoryRecorder implements SessionRecorder {
    final List<CompletionEntry> entries = new CopyOnWriteArrayList<>();
    final Set<String> delivered = ConcurrentHashMap.newKeySet();
    final AtomicInteger failed = new AtomicInteger();
    private final AtomicLong sequence = new AtomicLong();
    private final SessionRecorder real = new RecordStore(
                    Path.of("nowhere"), new GatewayConfig.Persistence(false, 1, 1, 1, 1, 1, GatewayConfig.Fsync.NONE))
            .create("s1", "t1");

    @Override
    public String sessionId() {
        return "s1";
    }

    @Override
    public String taskId() {
        return "t1";
    }

    @Override
    public long nextSequence() {
        return sequence.incrementAndGet();
    }

    @Override
    public void record(CompletionEntry entry) {
        entries.add(entry);
        real.record(entry);
    }

    @Override
    public void delivered(String completionId) {
        delivered.add(completionId);
    }

    @Override
    public void failedCall() {
        failed.incrementAndGet();
    }

    @Override
    public int completionCount() {
        return entries.size();
    }

    @Override
    public int longestPrompt() {
        return entries.stream()
                .mapToInt(entry -> entry.promptIds() == null ? 0 : entry.promptIds().length)
                .max()
                .orElse(0);
    }

    @Override
    public RecordedAnswers answers() {
        return real.answers();
    }

    @Override
    public SessionRecord seal(
            Function<List<CallFacts>, List<CallLabel>> classifier, OptionalInt endOfTurn, Detokenizer detokenizer) {
        throw new UnsupportedOperationException("never sealed");
    }

    @Override
    public SessionRecord decideAgain(OptionalInt endOfTurn, Detokenizer detokenizer) {
        throw new UnsupportedOperationException("never sealed");
    }

    @Override
    public Optional<StoredImage> image(String digest) {
        return Optional.empty();
    }

    @Override
    public Optional<SessionRecord> sealed() {
        return Optional.empty();
    }

    @Override
    public void writeCompletions(String nodeId, OutputStream out) {
        throw new UnsupportedOperationException("not written");
    }
}
