package dev.polar.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A session whose result is large: 100 turns, {@code per_request}, so that each trace repeats all before it. An agent in a sandbox makes the calls; the result is built, saved, sent to the
 * rollout server and read back there by a client. Shown is the server's heap after each collection, from its own log, for the turns and for what follows them.
 */
public final class LargeResultBench {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int TURNS = 100;
    private static final int IDS_PER_TURN = 3_000;
    private static final int CHARACTERS_PER_TURN = 42_000;
    private static final Pattern COLLECTED = Pattern.compile("^\\[([\\d.]+)s].* Pause .* \\d+M->(\\d+)M\\((\\d+)M\\)");

    private LargeResultBench() {}

    /** @param args path of the {@code polar} script, {@code polar} without */
    public static void main(String[] args) throws Exception {
        var log = Files.createTempFile("polar-bench-gc", ".log");
        try (var upstream = new GrowingUpstream(IDS_PER_TURN);
                var polar = PolarServe.start(args, upstream.port(), "buffered", "-Xmx512m -Xlog:gc:file=" + log)) {
            submit(polar);
            var ended = awaitEnd(polar);
            double built = lastTime(log);
            long bytes = readBack(polar);
            report(log, ended, built, bytes);
        } finally {
            Files.deleteIfExists(log);
        }
    }

    private static void submit(PolarServe polar) throws Exception {
        var agent = List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path")
                                .replaceAll("(^|:)(?=[^/:])", "$1" + Path.of("").toAbsolutePath() + "/"),
                        Agent.class.getName())
                .stream()
                .map(word -> "'" + word + "'")
                .toList();
        var task = Map.of(
                "task_id", "large",
                "instruction", "talk",
                "timeout_seconds", 3_600,
                "runtime", Map.of("backend", "local"),
                "agent", Map.of("harness", "shell", "custom_shell", Map.of("command", String.join(" ", agent))),
                "builder", Map.of("strategy", "per_request"),
                "evaluator", Map.of("strategy", "session_completed"));
        var answer = send(HttpRequest.newBuilder(polar.rollout().resolve("/rollout/task/submit"))
                .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(task))));
        if (answer.statusCode() != 200) {
            throw new IOException(new String(answer.body().readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static HttpResponse<InputStream> send(HttpRequest.Builder request) throws Exception {
        var client = HttpClient.newHttpClient();
        return client.send(
                request.header("Content-Type", "application/json").build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    /** The session's row, once it has ended. */
    private static String awaitEnd(PolarServe polar) throws Exception {
        while (true) {
            var answer = send(HttpRequest.newBuilder(polar.rollout().resolve("/tasks/large/sessions")));
            var session = JSON.readTree(answer.body()).path("sessions").path(0);
            if (!session.path("finished_at").isNull() && session.has("finished_at")) {
                return session.path("status").asText() + ", "
                        + session.path("traces").asInt() + " traces, "
                        + session.path("completions").asInt() + " completions, error "
                        + session.path("error").asText("none");
            }
            Thread.sleep(200);
        }
    }

    private static long readBack(PolarServe polar) throws Exception {
        var answer = send(HttpRequest.newBuilder(polar.rollout().resolve("/rollout/task/large")));
        long traces = 0;
        long bytes = answer.headers().firstValueAsLong("Content-Length").orElse(-1);
        try (var parser = JSON.getFactory().createParser(answer.body())) {
            while (parser.nextToken() != null) {
                if ("prompt_ids".equals(parser.currentName())
                        && parser.currentToken().isStructStart()) {
                    traces++;
                }
            }
        }
        if (traces != TURNS) {
            throw new IllegalStateException("read back " + traces + " traces");
        }
        return bytes;
    }

    private static double lastTime(Path log) throws IOException {
        double last = 0;
        for (var line : Files.readAllLines(log)) {
            var found = COLLECTED.matcher(line);
            last = found.find() ? Double.parseDouble(found.group(1)) : last;
        }
        return last;
    }

    private static void report(Path log, String ended, double built, long bytes) throws IOException {
        int most = 0;
        int mostAfter = 0;
        int committed = 0;
        for (var line : Files.readAllLines(log)) {
            var found = COLLECTED.matcher(line);
            if (found.find()) {
                int left = Integer.parseInt(found.group(2));
                most = Math.max(most, left);
                mostAfter = Double.parseDouble(found.group(1)) > built ? Math.max(mostAfter, left) : mostAfter;
                committed = Math.max(committed, Integer.parseInt(found.group(3)));
            }
        }
        System.out.printf(
                Locale.ROOT,
                "session: %s%nresult: %.1f MB%nheap left after a collection, most: %d MiB in all, %d MiB while it was read back; committed at most %d MiB%n",
                ended,
                bytes / 1e6,
                most,
                mostAfter,
                committed);
    }

    /** What runs in the sandbox: a conversation in which each request repeats all before it. */
    public static final class Agent {
        private Agent() {}

        public static void main(String[] args) throws Exception {
            var client = HttpClient.newHttpClient();
            var messages = new StringBuilder();
            for (int turn = 1; turn <= TURNS; turn++) {
                messages.append(turn == 1 ? "" : ",")
                        .append("{\"role\":\"user\",\"content\":\"")
                        .append(("turn " + turn + " lorem ipsum ").repeat(CHARACTERS_PER_TURN / 20))
                        .append("\"}");
                var request = HttpRequest.newBuilder(URI.create(System.getenv("OPENAI_BASE_URL") + "/chat/completions"))
                        .header("Content-Type", "application/json")
                        .header("Authorization", "Bearer " + System.getenv("OPENAI_API_KEY"))
                        .POST(HttpRequest.BodyPublishers.ofString(
                                "{\"model\":\"bench\",\"messages\":[" + messages + "]}"))
                        .build();
                var answer = client.send(request, HttpResponse.BodyHandlers.ofString());
                if (answer.statusCode() != 200) {
                    throw new IOException(answer.body());
                }
                messages.append(",{\"role\":\"assistant\",\"content\":\"answer ")
                        .append(turn)
                        .append("\"}");
            }
        }
    }
}
