package dev.polar.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/**
 * What a Chat completion costs the gateway: 2 KB of request and of answer text, 500 prompt ids, 100 answer ids, from an upstream that answers with fixed bytes. Starts {@code polar serve}
 * itself; takes the path of the {@code polar} script as its argument.
 */
public final class ProxyBench {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int WARM_UP = 60_000;
    private static final int CALLS_ALONE = 5_000;
    private static final int CALLS_TOGETHER = 30_000;
    private static final int CALLERS = 64;

    private ProxyBench() {}

    public static void main(String[] arguments) throws Exception {
        var polar = Path.of(arguments.length == 0 ? "polar" : arguments[0]).toAbsolutePath();
        var folder = Files.createTempDirectory("polar-bench");
        try (var upstream = new FixedUpstream()) {
            var topology = Files.writeString(
                    folder.resolve("topology.yaml"), """
                    data_dir: %s
                    rollout:
                      port: 0
                    gateway:
                      nodes:
                        - id: bench
                          port: 0
                          model_served: bench
                          inference:
                            engine: vllm
                            base_url: http://127.0.0.1:%d
                    """.formatted(folder.resolve("data"), upstream.port()));
            var server = new ProcessBuilder(polar.toString(), "serve", "-c", topology.toString(), "--json")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try {
                run(upstream.port(), URI.create(gateway(server)), server.toHandle());
            } finally {
                server.destroy();
                server.waitFor();
            }
        } finally {
            delete(folder);
        }
    }

    private static String gateway(Process server) throws IOException {
        var line = server.inputReader().readLine();
        if (line == null) {
            throw new IOException("polar serve did not start");
        }
        return JSON.readTree(line).path("gateway").asText();
    }

    private static void run(int upstream, URI gateway, ProcessHandle server) throws Exception {
        Load.run(gateway.getPort(), session(gateway), CALLERS, WARM_UP);
        System.out.println("| callers | path | calls | rate, 1/s | median, ms | 99 %, ms | gateway CPU per call, ms |");
        System.out.println("|---|---|---|---|---|---|---|");
        for (int callers : List.of(1, CALLERS)) {
            int calls = callers == 1 ? CALLS_ALONE : CALLS_TOGETHER;
            print(callers, "straight", Load.run(upstream, "none", callers, calls), Double.NaN);
            // a session of its own, so that none grows without end
            var key = session(gateway);
            var before = cpu(server);
            var result = Load.run(gateway.getPort(), key, callers, calls);
            print(callers, "through", result, cpu(server).minus(before).toNanos() / 1e6 / calls);
        }
    }

    private static void print(int callers, String path, Load.Result result, double cpuMillis) {
        System.out.printf(
                "| %d | %s | %d | %.0f | %.2f | %.2f | %s |%n",
                callers,
                path,
                result.calls(),
                result.perSecond(),
                result.median().toNanos() / 1e6,
                result.p99().toNanos() / 1e6,
                Double.isNaN(cpuMillis) ? "" : "%.3f".formatted(cpuMillis));
    }

    /** CPU time of the server and all it started. */
    private static Duration cpu(ProcessHandle server) {
        return java.util.stream.Stream.concat(java.util.stream.Stream.of(server), server.descendants())
                .map(process -> process.info().totalCpuDuration().orElse(Duration.ZERO))
                .reduce(Duration.ZERO, Duration::plus);
    }

    private static String session(URI gateway) throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            var response = client.send(
                    HttpRequest.newBuilder(gateway.resolve("/sessions"))
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString("{}"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            JsonNode registered = JSON.readTree(response.body());
            return registered.path("session_id").asText();
        }
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
