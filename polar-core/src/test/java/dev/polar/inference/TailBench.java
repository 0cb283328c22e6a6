package dev.polar.inference;

import dev.polar.capture.Detokenizer;
import dev.polar.capture.RecordStore;
import dev.polar.capture.RecordedCalls;
import dev.polar.capture.SealedRecord;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import dev.polar.sim.SimTokenizer;
import dev.polar.spi.Sampling;
import dev.polar.topology.GatewayConfig.Fsync;
import dev.polar.topology.GatewayConfig.Persistence;
import dev.polar.topology.NodeConfig;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * What the end of a record costs, to be run by hand: a session in which every answer comes back as the same text in other ids, its tails told apart by the engine's {@code /detokenize} (the
 * simulator's, over HTTP) and by the token texts that were seen in answers.
 */
public final class TailBench {
    private static final int ROUNDS = 7;
    private static final SimTokenizer TOKENIZER = SimTokenizer.shared();

    private TailBench() {}

    public static void main(String[] args) throws Exception {
        var directory = Files.createTempDirectory("tail-bench");
        try (var sim = SimServer.start(
                        SimOptions.builder().engine(SimEngine.VLLM).build());
                var client = client(sim.url())) {
            System.out.println("| turns | tokens | retokenized tails | by | wall, ms | CPU of the thread, ms |");
            System.out.println("|---|---|---|---|---|---|");
            for (int turns : new int[] {25, 100}) {
                run(directory, turns, "/detokenize", new EngineDetokenizer(client, null));
                run(directory, turns, "token texts", Detokenizer.NONE);
            }
        } finally {
            try (var files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(path -> path.toFile().delete());
            }
        }
    }

    private static InferenceClient client(String url) {
        var engine = new VllmEngine();
        var config = new NodeConfig.Inference(
                engine.name(),
                List.of(url),
                NodeConfig.Streaming.BUFFERED,
                null,
                false,
                Sampling.NONE,
                OptionalInt.empty(),
                null);
        return new InferenceClient(config, engine.profile(), Duration.ofSeconds(30));
    }

    /** The best of some rounds, each with a record of its own. */
    private static void run(Path directory, int turns, String how, Detokenizer detokenizer) {
        double wall = Double.MAX_VALUE;
        double cpu = Double.MAX_VALUE;
        long found = 0;
        int tokens = 0;
        var threads = ManagementFactory.getThreadMXBean();
        for (int round = 0; round < ROUNDS; round++) {
            try (var store = new RecordStore(directory, new Persistence(true, 16384, 8, 16, 3, 0.1, Fsync.NONE))) {
                var calls = new RecordedCalls(store.create("s", "t"));
                tokens = talk(calls, turns);
                long started = System.nanoTime();
                long used = threads.getCurrentThreadCpuTime();
                SealedRecord record = calls.seal(OptionalInt.of(TOKENIZER.endOfTurn()), detokenizer);
                cpu = Math.min(cpu, (threads.getCurrentThreadCpuTime() - used) / 1e6);
                wall = Math.min(wall, (System.nanoTime() - started) / 1e6);
                found = record.completions().stream()
                        .mapToLong(completion -> completion.retokenizedOf().size())
                        .sum();
                store.delete("s");
            }
        }
        System.out.printf(Locale.ROOT, "| %d | %d | %d | %s | %.1f | %.1f |%n", turns, tokens, found, how, wall, cpu);
    }

    /** Records a conversation to which each turn adds some 1,000 ids, 200 of them sampled; returns its length in ids. */
    private static int talk(RecordedCalls calls, int turns) {
        var random = new Random(turns);
        var spelling = new SplittableRandom(turns);
        int[] prompt = {};
        for (int turn = 0; turn < turns; turn++) {
            prompt = join(prompt, words(random, 800), new int[] {TOKENIZER.endOfTurn()});
            var canonical = words(random, 200);
            var sampled = join(TOKENIZER.respell(canonical, 0.3, spelling), new int[] {TOKENIZER.endOfTurn()});
            calls.call(prompt, sampled).texts(texts(sampled)).record();
            // Each id that a prompt gives back was sampled somewhere, as it is after some answers of a policy.
            var other = join(canonical, new int[] {TOKENIZER.endOfTurn()});
            calls.call(new int[] {turn + 1}, other)
                    .texts(texts(other))
                    .label("auxiliary", "other")
                    .record();
            prompt = join(prompt, other);
        }
        return prompt.length;
    }

    private static String[] texts(int[] ids) {
        return Arrays.stream(ids)
                .mapToObj(id -> TOKENIZER.decode(new int[] {id}))
                .toArray(String[]::new);
    }

    private static int[] words(Random random, int count) {
        var text = new StringBuilder();
        var some = List.of(" the", " parser", " returns", " value", " token", " file", " test", " when", " is", " not");
        IntStream.range(0, count).forEach(i -> text.append(some.get(random.nextInt(some.size()))));
        return Arrays.copyOf(TOKENIZER.encode(text.toString()), count);
    }

    private static int[] join(int[]... parts) {
        return Arrays.stream(parts).flatMapToInt(Arrays::stream).toArray();
    }
}
