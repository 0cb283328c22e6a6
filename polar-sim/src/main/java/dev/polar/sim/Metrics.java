package dev.polar.sim;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counters in the engines' exposition format. Thread-safe. */
final class Metrics {
    private final LongAdder promptTokens = new LongAdder();
    private final LongAdder generationTokens = new LongAdder();
    private final Map<String, LongAdder> finished = new ConcurrentHashMap<>();

    void promptTokens(int count) {
        promptTokens.add(count);
    }

    void finished(List<SampledLine> lines) {
        for (SampledLine line : lines) {
            generationTokens.add(line.size());
            finished.computeIfAbsent(line.finish().reason(), reason -> new LongAdder())
                    .increment();
        }
    }

    /** The text of {@code /metrics}, each name with the engine's prefix. */
    String exposition(SimEngine engine, String model, int running, int waiting) {
        StringBuilder out = new StringBuilder();
        String labels = "{engine=\"0\",model_name=\"" + model + "\"} ";
        switch (engine) {
            case VLLM -> {
                line(out, "vllm:num_requests_running", labels, running);
                line(out, "vllm:num_requests_waiting", labels, waiting);
                line(out, "vllm:kv_cache_usage_perc", labels, 0);
                line(out, "vllm:prompt_tokens_total", labels, promptTokens.sum());
                line(out, "vllm:generation_tokens_total", labels, generationTokens.sum());
                new TreeMap<>(finished)
                        .forEach((reason, count) -> line(
                                out,
                                "vllm:request_success_total",
                                "{engine=\"0\",finished_reason=\"" + reason + "\",model_name=\"" + model + "\"} ",
                                count.sum()));
            }
            case SGLANG -> {
                line(out, "sglang:num_running_reqs", labels, running);
                line(out, "sglang:num_queue_reqs", labels, waiting);
                line(out, "sglang:prompt_tokens_total", labels, promptTokens.sum());
                line(out, "sglang:generation_tokens_total", labels, generationTokens.sum());
            }
        }
        return out.toString();
    }

    private static void line(StringBuilder out, String name, String labels, double value) {
        out.append(name).append(labels).append(value).append('\n');
    }
}
