package dev.polar.inference;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What the parse of a whole answer with 100,000 prompt ids costs. Run by hand; figures stand in {@code bench/RESULTS.md}. CPU time and allocation of the thread. */
final class AnswerBench {
    private static final int PROMPT_IDS = 100_000;
    private static final int ANSWER_IDS = 500;
    private static final int WARM_UP = 200;
    private static final int RUNS = 100;

    private AnswerBench() {}

    public static void main(String[] arguments) throws IOException {
        var body = answer().getBytes(StandardCharsets.UTF_8);
        var parser = new AnswerParser(new VllmEngine().profile().whole());
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        var times = new double[RUNS];
        long allocated = 0;
        for (int run = -WARM_UP; run < RUNS; run++) {
            long bytes = threads.getCurrentThreadAllocatedBytes();
            long before = threads.getCurrentThreadCpuTime();
            var answer = parser.parse(new ByteArrayInputStream(body), false);
            long after = threads.getCurrentThreadCpuTime();
            if (answer.promptIds().length != PROMPT_IDS || answer.sampledIds().length != ANSWER_IDS) {
                throw new IllegalStateException("ids were lost");
            }
            if (run >= 0) {
                times[run] = (after - before) / 1e6;
                allocated += threads.getCurrentThreadAllocatedBytes() - bytes;
            }
        }
        Arrays.sort(times);
        System.out.println("| prompt ids | answer, KB | best, ms of CPU | median, ms of CPU | allocated, KB |");
        System.out.println("|---|---|---|---|---|");
        System.out.printf(
                "| %d | %d | %.2f | %.2f | %d |%n",
                PROMPT_IDS, body.length / 1000, times[0], times[RUNS / 2], allocated / RUNS / 1000);
    }

    private static String answer() {
        var body = new StringBuilder("{\"id\":\"chatcmpl-1\",\"model\":\"sim\",\"choices\":[{\"index\":0,"
                + "\"message\":{\"role\":\"assistant\",\"content\":\"x\"},\"logprobs\":{\"content\":[");
        for (int i = 0; i < ANSWER_IDS; i++) {
            body.append(i == 0 ? "" : ",")
                    .append("{\"token\":\" lorem\",\"logprob\":-")
                    .append(0.0123456789012345 * (i + 1))
                    .append(",\"bytes\":[32,108,111,114,101,109],\"top_logprobs\":[]}");
        }
        body.append("]},\"finish_reason\":\"stop\",\"token_ids\":[");
        ids(body, ANSWER_IDS);
        body.append("]}],\"prompt_token_ids\":[");
        ids(body, PROMPT_IDS);
        return body.append("]}").toString();
    }

    private static void ids(StringBuilder body, int count) {
        for (int i = 0; i < count; i++) {
            body.append(i == 0 ? "" : ",").append(1_000 + i * 37L % 150_000);
        }
    }
}
