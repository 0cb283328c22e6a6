package dev.polar.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.capture.RecordStore;
import dev.polar.capture.RecordedCalls;
import dev.polar.capture.SealedRecord;
import dev.polar.topology.GatewayConfig.Fsync;
import dev.polar.topology.GatewayConfig.Persistence;
import dev.polar.trajectory.PrefixMergingBuilder;
import dev.polar.trajectory.PrefixMergingConfig;
import dev.polar.trajectory.TrajectoryAssembler;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/**
 * Figures of the record and of {@code prefix_merging}, to be run by hand: heap for each session, size of the file, time to build and to read back, and what {@code fsync: answer} adds.
 */
public final class RecordBench {
    private static final int END_OF_TURN = 9;
    private static final int ROUNDS = 15;
    /** What else the machine does is not counted. */
    private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

    private final Path directory;

    private RecordBench(Path directory) {
        this.directory = directory;
    }

    public static void main(String[] args) throws Exception {
        var directory = Files.createTempDirectory("record-bench");
        try {
            var bench = new RecordBench(directory);
            bench.build();
            bench.heap();
            bench.fsync();
        } finally {
            try (var files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(path -> path.toFile().delete());
            }
        }
    }

    private static void print(String form, Object... values) {
        System.out.println(String.format(Locale.ROOT, form, values));
    }

    private static Persistence persistence(Fsync fsync) {
        return new Persistence(true, 16384, 8, 16, 3, 0.1, fsync);
    }

    /** A conversation in which each turn's request repeats all before it. */
    private static final class Talk {
        private final RecordedCalls calls;
        private final int[] ids;
        private final int turns;
        private final ObjectNode request = JsonNodeFactory.instance.objectNode().put("model", "m");
        private final Random random;
        private int turn;
        private volatile long nanos;

        private Talk(RecordedCalls calls, int turns, int tokens, long seed) {
            this.calls = calls;
            this.turns = turns;
            this.random = new Random(seed);
            this.ids = new int[tokens];
            int step = tokens / turns;
            Arrays.setAll(ids, i -> i % step == step - 1 ? END_OF_TURN : 10 + random.nextInt(50_000));
            request.putArray("messages");
        }

        private void go(int more) {
            int step = ids.length / turns;
            int sampled = Math.min(200, step / 4);
            for (int last = turn + more; turn < last; turn++) {
                int end = (turn + 1) * step;
                request.withArray("messages").addObject().put("role", "user").put("content", text(4 * step));
                var call = calls.call(Arrays.copyOf(ids, end - sampled), Arrays.copyOfRange(ids, end - sampled, end))
                        .request(request.deepCopy())
                        .original(request.deepCopy());
                long start = System.nanoTime();
                call.record();
                nanos += System.nanoTime() - start;
                request.withArray("messages")
                        .addObject()
                        .put("role", "assistant")
                        .put("content", "answer " + turn);
            }
        }

        /** Words, as compressible as prose is. */
        private String text(int length) {
            var text = new StringBuilder(length + 8);
            while (text.length() < length) {
                text.append(Integer.toString(random.nextInt(5_000), 36)).append(' ');
            }
            return text.toString();
        }
    }

    private void build() throws IOException {
        print("## prefix_merging, ends at 128,000 tokens: best of %d, ms of CPU", ROUNDS);
        print("| completions | build with invariants | read the record back |");
        print("|---|---|---|");
        for (int turns : new int[] {250, 500, 1000}) {
            var store = new RecordStore(directory.resolve("build"), persistence(Fsync.NONE));
            var id = "build" + turns;
            var calls = new RecordedCalls(store.create(id, "t"));
            new Talk(calls, turns, 128_000, turns).go(turns);
            var record = calls.seal(END_OF_TURN);
            double build = best(() -> traces(record));
            store.unload(id);
            double read = best(() -> {
                int found = store.find(id).orElseThrow().completionCount();
                store.unload(id);
                return found;
            });
            print("| %d | %.1f | %.1f |", turns, build, read);
        }
    }

    private static int traces(SealedRecord record) {
        return TrajectoryAssembler.build(new PrefixMergingBuilder(), record, PrefixMergingConfig.DEFAULT)
                .traces()
                .size();
    }

    private interface Work {
        int run();
    }

    private static double best(Work work) {
        double best = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long start = CPU.getCurrentThreadCpuTime();
            if (work.run() < 1) {
                throw new IllegalStateException("nothing was done");
            }
            best = Math.min(best, (CPU.getCurrentThreadCpuTime() - start) / 1e6);
        }
        return best;
    }

    private void heap() throws IOException {
        print("%n## Heap for each session (mean of 20), and its file");
        print("| turns | tokens | heap, KiB | file, KiB | answer of /completions, KiB |");
        print("|---|---|---|---|---|");
        heap(50, 60_000, new int[] {10, 15, 25});
        heap(100, 100_000, new int[] {100});
    }

    private void heap(int turns, int tokens, int[] steps) throws IOException {
        int sessions = 20;
        var folder = directory.resolve("heap" + turns);
        var store = new RecordStore(folder, persistence(Fsync.NONE));
        long before = used();
        var calls = new ArrayList<RecordedCalls>();
        for (int i = 0; i < sessions; i++) {
            calls.add(new RecordedCalls(store.create("s" + i, "t")));
        }
        int done = 0;
        for (int step : steps) {
            for (int i = 0; i < sessions; i++) {
                goOn(calls.get(i), turns, tokens, i, done, step);
            }
            done += step;
            store.close();
            long heap = (used() - before) / sessions / 1024;
            var counted = new Counted();
            calls.getFirst().recorder().writeCompletions("n", counted);
            print(
                    "| %d | %d | %d | %d | %d |",
                    done, tokens / turns * done, heap, size(folder) / sessions / 1024, counted.bytes / 1024);
        }
        for (int i = 0; i < sessions; i++) {
            store.delete("s" + i);
        }
    }

    /** The talk itself is made anew each time, so that it is not counted. */
    private static void goOn(RecordedCalls calls, int turns, int tokens, int seed, int done, int step) {
        var talk = new Talk(calls, turns, tokens, seed);
        for (int turn = 0; turn < done; turn++) {
            talk.request
                    .withArray("messages")
                    .addObject()
                    .put("role", "user")
                    .put("content", talk.text(4 * tokens / turns));
            talk.request
                    .withArray("messages")
                    .addObject()
                    .put("role", "assistant")
                    .put("content", "answer " + turn);
        }
        talk.turn = done;
        talk.go(step);
    }

    private static long used() {
        for (int i = 0; i < 4; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static long size(Path folder) throws IOException {
        long size = 0;
        try (var files = Files.list(folder)) {
            for (var file : files.toList()) {
                size += Files.size(file);
            }
        }
        return size;
    }

    private static final class Counted extends OutputStream {
        private long bytes;

        @Override
        public void write(int b) {
            bytes++;
        }

        @Override
        public void write(byte[] b, int off, int len) {
            bytes += len;
        }
    }

    private void fsync() throws InterruptedException {
        print(
                "%n## One answer's way into the record, mean ms, best of 4 (40 turns to 40,000 tokens and 160 KB of messages)");
        print("| sessions at once | fsync: none | fsync: answer |");
        print("|---|---|---|");
        for (int sessions : new int[] {1, 32}) {
            double none = Double.MAX_VALUE;
            double answer = Double.MAX_VALUE;
            for (int round = 0; round < 4; round++) {
                none = Math.min(none, run(sessions, Fsync.NONE, "round" + round));
                answer = Math.min(answer, run(sessions, Fsync.ANSWER, "round" + round));
            }
            print("| %d | %.3f | %.3f |", sessions, none, answer);
        }
    }

    private double run(int sessions, Fsync fsync, String name) throws InterruptedException {
        var store = new RecordStore(directory.resolve(name + fsync), persistence(fsync));
        int turns = 40;
        var done = new CountDownLatch(sessions);
        var talks = new ArrayList<Talk>();
        for (int i = 0; i < sessions; i++) {
            talks.add(new Talk(new RecordedCalls(store.create("s" + i, "t")), turns, 40_000, i));
        }
        talks.forEach(talk -> Thread.ofVirtual().start(() -> {
            talk.go(turns);
            done.countDown();
        }));
        done.await();
        for (int i = 0; i < sessions; i++) {
            store.delete("s" + i);
        }
        return talks.stream().mapToLong(talk -> talk.nanos).average().orElseThrow() / 1e6 / turns;
    }
}
