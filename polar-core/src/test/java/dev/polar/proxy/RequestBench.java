package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.sun.net.httpserver.HttpServer;
import dev.polar.capture.RecordStore;
import dev.polar.inference.HelperModels;
import dev.polar.inference.InferenceClient;
import dev.polar.spi.Sampling;
import dev.polar.topology.GatewayConfig.Persistence;
import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;

/**
 * What a request of 1 MB with 200 messages costs its own thread, for each dialect: read, decoded, sent to an engine that answers a few fixed bytes, put on record as a session's first call, encoded.
 * Run by hand; figures stand in {@code bench/RESULTS.md}. CPU time of the thread, so that other load does not count; the record's compression runs on another thread and counts as waiting.
 */
final class RequestBench {
    private static final int MESSAGES = 200;
    private static final int TEXT = 5_000;
    private static final int WARM_UP = 100;
    private static final int RUNS = 100;

    private static final byte[] ANSWER =
            ("{\"id\":\"chatcmpl-1\",\"model\":\"sim\",\"prompt_token_ids\":[1,2,3],\"choices\":[{\"index\":0,"
                            + "\"message\":{\"role\":\"assistant\",\"content\":\"x\"},\"logprobs\":{\"content\":["
                            + "{\"token\":\"x\",\"logprob\":-1.0}]},\"finish_reason\":\"stop\",\"token_ids\":[2]}],"
                            + "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1,\"total_tokens\":4}}")
                    .getBytes(StandardCharsets.UTF_8);

    private RequestBench() {}

    public static void main(String[] arguments) throws Exception {
        var folder = Files.createTempDirectory("polar-bench");
        var engine = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        engine.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        engine.createContext("/", exchange -> {
            try (exchange) {
                exchange.getRequestBody().skip(Long.MAX_VALUE);
                exchange.sendResponseHeaders(200, ANSWER.length);
                exchange.getResponseBody().write(ANSWER);
            }
        });
        engine.start();
        var config = config("http://127.0.0.1:" + engine.getAddress().getPort());
        var silence = Duration.ofSeconds(60);
        try (var store = new RecordStore(folder, Persistence.DEFAULT);
                var client = new InferenceClient(config.inference(), Node.profile("vllm"), silence);
                var helpers = new HelperModels(List.of(), _ -> null, silence)) {
            var directory = new SessionDirectory();
            var proxy = new Proxy(config, client, helpers, directory, null, StreamTimes.DEFAULT);
            System.out.println("| dialect | request, KB | best, ms of CPU | median, ms of CPU |");
            System.out.println("|---|---|---|---|");
            for (var api : Told.Api.values()) {
                measure(api, proxy, directory, store);
            }
        } finally {
            engine.stop(0);
            delete(folder);
        }
    }

    private static void measure(Told.Api api, Proxy proxy, SessionDirectory directory, RecordStore store)
            throws IOException {
        var body = request(api);
        var threads = ManagementFactory.getThreadMXBean();
        var times = new double[RUNS];
        for (int run = -WARM_UP; run < RUNS; run++) {
            var id = api + "-" + run;
            var session = new AgentSession(id, "bench", false, store.create(id, "bench"), Sampling.NONE, Map.of());
            session.open();
            directory.add(id, session);
            var exchange =
                    new InMemoryCall(api.path.replace("streamGenerateContent?alt=sse", "generateContent"), id, body);
            long before = threads.getCurrentThreadCpuTime();
            proxy.serve(exchange);
            if (run >= 0) {
                times[run] = (threads.getCurrentThreadCpuTime() - before) / 1e6;
            }
            if (exchange.status() != 200) {
                throw new IllegalStateException(api + ": " + exchange.status() + " " + exchange.answer());
            }
            store.delete(id);
        }
        java.util.Arrays.sort(times);
        System.out.printf("| %s | %d | %.1f | %.1f |%n", api, body.length / 1000, times[0], times[RUNS / 2]);
    }

    private static byte[] request(Told.Api api) {
        var random = new Random(1);
        var history = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < MESSAGES; i++) {
            history.add(message(api, i, random));
        }
        var body = (com.fasterxml.jackson.databind.node.ObjectNode) Bodies.parsed(api.ask(history, true));
        body.remove("stream");
        return Bodies.text(body).getBytes(StandardCharsets.UTF_8);
    }

    private static com.fasterxml.jackson.databind.JsonNode message(Told.Api api, int number, Random random) {
        var text = new StringBuilder();
        while (text.length() < TEXT) {
            text.append(Integer.toString(random.nextInt(1 << 20), 36)).append(random.nextInt(9) == 0 ? "\n" : " ");
        }
        var message = api.user("");
        var object = (com.fasterxml.jackson.databind.node.ObjectNode) message;
        if (number % 2 == 1) {
            object.put("role", api == Told.Api.GOOGLE ? "model" : "assistant");
        }
        if (api == Told.Api.GOOGLE) {
            ((ArrayNode) object.get("parts")).removeAll().addObject().put("text", text.toString());
        } else {
            object.put("content", text.toString());
        }
        return object;
    }

    private static NodeConfig config(String url) {
        var small = Node.config("vllm", url, "sim", Node.Setup.DEFAULT);
        return new NodeConfig(
                small.id(),
                small.host(),
                small.port(),
                small.publicUrl(),
                small.agentListen(),
                small.modelServed(),
                small.inference(),
                small.modelPool(),
                small.maxInitWorkers(),
                small.maxRunWorkers(),
                small.maxPostrunWorkers(),
                small.readyBuffer(),
                small.defaultRuntime(),
                small.openSessions(),
                64,
                small.snapshots(),
                small.roots());
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
