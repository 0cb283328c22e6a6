package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimTokenizer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/**
 * What exact continuation costs: a turn of a session of 20, by the ids of its history, asked plainly and from ids in turns. Every token that can be cut is sampled in two pieces, so that the texts of
 * the last answer are compared each time. CPU is that of the call's own thread; the engine is the simulator, in the same process, so wall time has its work in it. Run by hand; figures stand in
 * {@code bench/RESULTS.md}.
 */
final class ContinuationBench {
    private static final int TURNS = 20;
    private static final int WARM_UP = 30;
    private static final int RUNS = 60;

    private static final String ANSWER = "I have looked at all of this with care, and there is more to be said. ";
    private static final SimTokenizer TOKENIZER = SimTokenizer.shared();
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private ContinuationBench() {}

    public static void main(String[] arguments) throws IOException {
        System.out.println(
                "| ids of history | plain, ms of CPU | exact, ms of CPU | plain, ms | exact, ms | added, ms |");
        System.out.println("|---|---|---|---|---|---|");
        for (int ids : new int[] {2_000, 20_000, 100_000}) {
            measure(ids);
        }
    }

    private static Node node(Node.Setup setup) throws IOException {
        Policy policy = (request, random) -> new Policy.Decision(Answer.text(ANSWER));
        return new Node(
                SimOptions.builder()
                        .policy(policy)
                        .nonCanonical(1)
                        .seed(3)
                        .keptRequests(1)
                        .build(),
                setup);
    }

    private static void measure(int ids) throws IOException {
        try (var plain = node(Node.Setup.DEFAULT);
                var exact = node(Node.Setup.DEFAULT.exact())) {
            var ofPlain = body(ids, plain);
            var ofExact = body(ids, exact);
            var times = new double[4][RUNS];
            for (int run = -WARM_UP; run < RUNS; run++) {
                one(plain, ofPlain, run, times[0], times[1]);
                one(exact, ofExact, run, times[2], times[3]);
            }
            var last = exact.recorder.entries.getLast();
            if (!last.metadata().path("continuation").asText().equals("spliced")) {
                throw new IllegalStateException("not from ids: " + last.metadata());
            }
            Arrays.stream(times).forEach(Arrays::sort);
            System.out.printf(
                    "| %d | %.2f | %.2f | %.1f | %.1f | %.1f |%n",
                    last.promptIds().length,
                    times[0][RUNS / 2],
                    times[2][RUNS / 2],
                    times[1][RUNS / 2],
                    times[3][RUNS / 2],
                    times[3][RUNS / 2] - times[1][RUNS / 2]);
        }
    }

    private static void one(Node node, byte[] body, int run, double[] cpu, double[] wall) throws IOException {
        long started = System.nanoTime();
        long before = THREADS.getCurrentThreadCpuTime();
        ask(node, body);
        if (run >= 0) {
            cpu[run] = (THREADS.getCurrentThreadCpuTime() - before) / 1e6;
            wall[run] = (System.nanoTime() - started) / 1e6;
        }
    }

    private static String ask(Node node, byte[] body) throws IOException {
        var call = new InMemoryCall("/v1/chat/completions", Node.KEY, body);
        node.proxy.serve(call);
        if (call.status() != 200) {
            throw new IllegalStateException(call.status() + " " + call.answer());
        }
        return call.answer();
    }

    /** Holds all turns but the last, whose request this is. */
    private static byte[] body(int ids, Node node) throws IOException {
        var random = new Random(1);
        var history = JsonNodeFactory.instance.arrayNode();
        int perTurn = ids / TURNS - TOKENIZER.encode(ANSWER).length;
        for (int turn = 1; turn < TURNS; turn++) {
            user(history, perTurn, random);
            history.add(Bodies.parsed(ask(node, request(history))).at("/choices/0/message"));
        }
        user(history, perTurn, random);
        return request(history);
    }

    private static void user(ArrayNode history, int ids, Random random) {
        var text = new StringBuilder();
        for (int left = ids; left > 0; ) {
            var word = " " + Integer.toString(random.nextInt(1 << 20), 36);
            left -= TOKENIZER.encode(word).length;
            text.append(word);
        }
        history.addObject().put("role", "user").put("content", text.toString());
    }

    private static byte[] request(ArrayNode history) {
        var body = JsonNodeFactory.instance.objectNode().put("model", "any");
        body.set("messages", history);
        return Bodies.text(body).getBytes(StandardCharsets.UTF_8);
    }
}
