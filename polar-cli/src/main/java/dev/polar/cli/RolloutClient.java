package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.topology.TopologyLoader;
import dev.polar.wire.Binder;
import dev.polar.wire.BindingException;
import dev.polar.wire.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** Talks to a rollout server or gateway; sends the control token where one is set. Thread-safe. */
final class RolloutClient implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(60);
    private static final int LARGEST_REFUSAL = 1 << 16;
    private static final int NOT_FOUND = 404;

    private final String url;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .build();

    /** @param url without a trailing slash */
    RolloutClient(String url) {
        this.url = url;
    }

    /** An answer with a JSON body, or an empty object where the body is none. */
    record Answer(int status, JsonNode body) {
        boolean ok() {
            return status / 100 == 2;
        }

        /** What a refusal of the server there says, and of an unknown task, how to find the one that was meant. */
        String told(String url) {
            return detail() + " (" + url + ")"
                    + (status == NOT_FOUND
                            ? ": correct the id (polar status without one lists the tasks there are), or name another server"
                            : "");
        }

        /** What a refusal says. */
        String detail() {
            return body.path("detail").isTextual() ? body.get("detail").textValue() : "HTTP " + status;
        }
    }

    String url() {
        return url;
    }

    Answer submit(JsonNode task) throws InterruptedException {
        return send("POST", "/rollout/task/submit", BodyPublishers.ofString(task.toString()));
    }

    Answer task(String id) throws InterruptedException {
        return send("GET", "/rollout/task/" + encoded(id), BodyPublishers.noBody());
    }

    Answer cancel(String id) throws InterruptedException {
        return send("DELETE", "/rollout/task/" + encoded(id), BodyPublishers.noBody());
    }

    Answer get(String path) throws InterruptedException {
        return send("GET", path, BodyPublishers.noBody());
    }

    /**
     * An answer's body as it comes, for what may be large.
     *
     * @param what it is asked for, for messages
     * @return closed by the caller; a read of it waits as long as nothing comes
     * @throws UserException where the server refuses or nobody answers
     */
    InputStream open(String path, String what) throws InterruptedException {
        try {
            var answer = http.send(request("GET", path, BodyPublishers.noBody()), BodyHandlers.ofInputStream());
            if (answer.statusCode() / 100 == 2) {
                return answer.body();
            }
            try (var body = answer.body()) {
                var refusal = answer(answer.statusCode(), body.readNBytes(LARGEST_REFUSAL));
                throw new UserException(what + ": " + refusal.told(url));
            }
        } catch (IOException unreachable) {
            throw nobody(unreachable);
        }
    }

    /** The answer, or empty where nobody answers. */
    Optional<Answer> probe(String path) throws InterruptedException {
        try {
            return Optional.of(exchange("GET", path, BodyPublishers.noBody()));
        } catch (IOException nobody) {
            return Optional.empty();
        }
    }

    /** The answer to a question, or empty where nobody answers. */
    Optional<Answer> probe(String path, JsonNode question) throws InterruptedException {
        try {
            return Optional.of(exchange("POST", path, BodyPublishers.ofString(question.toString())));
        } catch (IOException nobody) {
            return Optional.empty();
        }
    }

    private Answer send(String method, String path, BodyPublisher body) throws InterruptedException {
        try {
            return exchange(method, path, body);
        } catch (IOException unreachable) {
            throw nobody(unreachable);
        }
    }

    private UserException nobody(IOException unreachable) {
        return new UserException(
                "no Polar server answers at " + url
                        + ": start one with polar serve -c FILE, or name another with --rollout-url",
                unreachable);
    }

    private Answer exchange(String method, String path, BodyPublisher body) throws IOException, InterruptedException {
        var answer = http.send(request(method, path, body), BodyHandlers.ofByteArray());
        return answer(answer.statusCode(), answer.body());
    }

    private HttpRequest request(String method, String path, BodyPublisher body) {
        var request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(ANSWER)
                .header("Content-Type", "application/json")
                .method(method, body);
        Optional.ofNullable(System.getenv(TopologyLoader.TOKEN_VARIABLE))
                .filter(token -> !token.isBlank())
                .ifPresent(token -> request.header("X-Polar-Control-Token", token));
        return request.build();
    }

    private Answer answer(int status, byte[] body) {
        if (status == 401) {
            throw new UserException(url + " asks for its control token: set " + TopologyLoader.TOKEN_VARIABLE);
        }
        return new Answer(status, parsed(body));
    }

    private static JsonNode parsed(byte[] body) {
        try {
            return Binder.parse(body);
        } catch (BindingException notJson) {
            return Json.MAPPER.createObjectNode();
        }
    }

    static String encoded(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public void close() {
        http.close();
    }
}
