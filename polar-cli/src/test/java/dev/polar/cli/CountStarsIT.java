package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.sim.SimServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The example in which an agent shows the model a picture. */
@Isolated
class CountStarsIT {
    private final Path folder = KeptFolder.of(CountStarsIT.class);

    private PolarProcess serve(SimServer sim) throws IOException {
        return PolarProcess.start(
                folder,
                Map.of("POLAR_PORT", "0", "POLAR_GATEWAY_PORT", "0", "MODEL_URL", sim.url() + "/v1"),
                "serve",
                "-c",
                "topology.yaml",
                "--json");
    }

    private static HttpResponse<byte[]> get(JsonNode ready, String path, String... headers) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(ready.path("gateway").asText() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try (var client = HttpClient.newHttpClient()) {
            return client.send(request.build(), BodyHandlers.ofByteArray());
        }
    }

    @Test
    void stars_are_counted_and_the_picture_is_fetched_by_its_digest_also_after_a_restart() throws Exception {
        ServeIT.copyExample("count_stars", folder);
        try (var sim = SimCommand.start(SimCommand.options(folder.resolve("scenario.yaml"), null))) {
            String path;
            byte[] picture;
            try (var server = serve(sim)) {
                var ready = server.ready();
                var done = PolarProcess.run(
                        folder,
                        Map.of(),
                        "submit",
                        "task.yaml",
                        "--poll-interval",
                        "0.2",
                        "--json",
                        "--rollout-url",
                        ready.path("url").asText());
                assertThat(done.status()).as(done.err()).isZero();
                var results = done.json().path("results");
                assertThat(results).hasSize(4);
                assertThat(results)
                        .extracting(result -> ResultTable.reward(result).orElseThrow())
                        .containsOnly(0.0, 1.0);
                results.forEach(CountStarsIT::assertOneTraceShowsItsPicture);
                var shown = image(results.get(0));
                picture = picture(results.get(0));
                path = "/sessions/" + results.get(0).path("session_id").asText() + "/images/"
                        + shown.path("digest").asText();
                assertServed(ready, path, picture);
            }
            try (var again = serve(sim)) {
                assertServed(again.ready(), path, picture);
            }
        }
    }

    private static JsonNode image(JsonNode result) {
        return result.path("trajectory")
                .path("traces")
                .get(0)
                .path("metadata")
                .path("images")
                .get(0);
    }

    /** As it stands in the trace's first message. */
    private static byte[] picture(JsonNode result) {
        var url = result.path("trajectory")
                .path("traces")
                .get(0)
                .path("prompt_messages")
                .get(0)
                .path("content")
                .findValue("url")
                .textValue();
        return Base64.getDecoder().decode(url.substring(url.indexOf(',') + 1));
    }

    private static void assertOneTraceShowsItsPicture(JsonNode result) {
        var traces = result.path("trajectory").path("traces");
        assertThat(traces).hasSize(1);
        var metadata = traces.get(0).path("metadata");
        assertThat(metadata.path("spans")).hasSize(2);
        assertThat(metadata.path("images")).hasSize(1);
        assertThat(image(result).path("message_index").asInt(-1)).isZero();
        assertThat(image(result).path("media_type").asText()).isEqualTo("image/png");
        assertThat(image(result).path("digest").asText()).startsWith("sha256:");
        assertThat(SimulatedLogprobs.wrongPositions(traces.get(0))).isEmpty();
    }

    private static void assertServed(JsonNode ready, String path, byte[] picture) throws Exception {
        var served = get(ready, path);
        assertThat(served.statusCode()).isEqualTo(200);
        assertThat(served.body()).isEqualTo(picture);
        assertThat(served.headers().firstValue("Content-Type")).contains("image/png");
        var tag = served.headers().firstValue("ETag").orElseThrow();
        assertThat(tag).isEqualTo('"' + path.substring(path.lastIndexOf('/') + 1) + '"');

        var held = get(ready, path, "If-None-Match", tag);
        assertThat(held.statusCode()).isEqualTo(304);
        assertThat(held.body()).isEmpty();

        var missing = get(ready, path.substring(0, path.length() - 4) + "0000");
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(new String(missing.body())).contains("has no image sha256:");
        var nobodys = get(ready, "/sessions/nobody/images/sha256:00");
        assertThat(nobodys.statusCode()).isEqualTo(404);
        assertThat(new String(nobodys.body())).contains("no session nobody");
    }
}
