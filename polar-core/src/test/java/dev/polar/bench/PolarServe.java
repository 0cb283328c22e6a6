package dev.polar.bench;

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
import java.util.stream.Stream;

/** {@code polar serve} with both roles, in a process and a folder of its own. */
final class PolarServe implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path folder;
    private final Process process;
    private final URI gateway;
    private final URI rollout;
    private final HttpClient client = HttpClient.newHttpClient();

    private PolarServe(Path folder, Process process, URI gateway, URI rollout) {
        this.folder = folder;
        this.process = process;
        this.gateway = gateway;
        this.rollout = rollout;
    }

    /**
     * @param arguments of the program: the path of the {@code polar} script, {@code polar} without
     * @param upstream port of the inference server
     * @param streaming as the topology has it
     */
    static PolarServe start(String[] arguments, int upstream, String streaming) throws IOException {
        return start(arguments, upstream, streaming, null);
    }

    /** @param jvm arguments of the server's JVM, or null */
    static PolarServe start(String[] arguments, int upstream, String streaming, String jvm) throws IOException {
        var polar = Path.of(arguments.length == 0 ? "polar" : arguments[0]).toAbsolutePath();
        var folder = Files.createTempDirectory("polar-bench");
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
                        streaming: %s
                        base_url: http://127.0.0.1:%d
                """.formatted(folder.resolve("data"), streaming, upstream));
        var builder = new ProcessBuilder(polar.toString(), "serve", "-c", topology.toString(), "--json")
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        if (jvm != null) {
            builder.environment().put("JVM_ARGS", jvm);
        }
        var process = builder.start();
        var line = process.inputReader().readLine();
        if (line == null) {
            throw new IOException("polar serve did not start");
        }
        var ready = JSON.readTree(line);
        return new PolarServe(
                folder,
                process,
                URI.create(ready.path("gateway").asText()),
                URI.create(ready.path("url").asText()));
    }

    /** The rollout server's address. */
    URI rollout() {
        return rollout;
    }

    /** The gateway's. */
    int port() {
        return gateway.getPort();
    }

    /** The key of a new session. */
    String session() throws Exception {
        var response = client.send(
                HttpRequest.newBuilder(gateway.resolve("/sessions"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        return JSON.readTree(response.body()).path("session_id").asText();
    }

    /** Process id of the server, without its launcher. */
    long pid() {
        return process.descendants()
                .filter(one -> one.info().command().orElse("").endsWith("/java"))
                .mapToLong(ProcessHandle::pid)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("polar serve has no server any more"));
    }

    /** CPU time of the server and all it started. */
    Duration cpu() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .map(one -> one.info().totalCpuDuration().orElse(Duration.ZERO))
                .reduce(Duration.ZERO, Duration::plus);
    }

    @Override
    public void close() throws IOException {
        client.close();
        process.destroy();
        try {
            process.waitFor();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
