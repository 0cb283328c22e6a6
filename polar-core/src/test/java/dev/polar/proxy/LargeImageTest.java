package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.capture.Picture;
import dev.polar.capture.RecordStore;
import dev.polar.capture.SessionRecorder;
import dev.polar.inference.HelperModels;
import dev.polar.proxy.Told.Api;
import dev.polar.sim.SimOptions;
import dev.polar.spi.Sampling;
import dev.polar.topology.GatewayConfig.Persistence;
import dev.polar.topology.NodeConfig;
import dev.polar.wire.Json;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An image as large as a camera makes them, in each dialect. */
class LargeImageTest {
    private static final int BYTES = 24_000_000;
    private static final int MAX_BODY_MB = 64;

    @TempDir
    private Path records;

    /** A front of its own, with a limit for what real images need. */
    private static HttpFront front(Node node, HelperModels helpers) throws IOException {
        var small = Node.config("vllm", node.sim.url(), "sim", Node.Setup.DEFAULT);
        var config = new NodeConfig(
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
                MAX_BODY_MB,
                small.snapshots(),
                small.roots());
        return new HttpFront(new Proxy(config, node.client, helpers, node.directory, null, StreamTimes.DEFAULT));
    }

    private static ObjectNode shown(Api api, String image) {
        var message = JsonNodeFactory.instance.objectNode().put("role", "user");
        var url = "data:image/png;base64," + image;
        switch (api) {
            case CHAT -> {
                var part = message.putArray("content").addObject().put("type", "image_url");
                part.putObject("image_url").put("url", url);
            }
            case MESSAGES -> {
                var part = message.putArray("content").addObject().put("type", "image");
                part.putObject("source")
                        .put("type", "base64")
                        .put("media_type", "image/png")
                        .put("data", image);
            }
            case RESPONSES ->
                message.putArray("content")
                        .addObject()
                        .put("type", "input_image")
                        .put("image_url", url);
            case GOOGLE ->
                message.putArray("parts")
                        .addObject()
                        .putObject("inlineData")
                        .put("mimeType", "image/png")
                        .put("data", image);
        }
        return message;
    }

    private static String ask(Node node, HttpFront front, Api api, ArrayNode history) throws IOException {
        var response = node.send(HttpRequest.newBuilder(URI.create(front.url() + "/s/with-a-file" + api.path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(api.ask(history.deepCopy(), false)))
                .build());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    @ParameterizedTest
    @EnumSource(Api.class)
    void f10_an_image_of_24_mb_reaches_the_engine_whole_and_is_on_record_once(Api api) throws Exception {
        var bytes = new byte[BYTES];
        new Random(1).nextBytes(bytes);
        var image = Base64.getEncoder().encodeToString(bytes);
        try (var store = new RecordStore(records, Persistence.DEFAULT);
                var node = new Node(SimOptions.builder().keptRequests(1).build());
                var helpers = new HelperModels(List.of(), _ -> null, Duration.ofSeconds(60));
                var front = front(node, helpers)) {
            var recorder = store.create("s2", "t2");
            var session = new AgentSession("s2", "t2", false, recorder, Sampling.NONE, Map.of());
            session.open();
            node.directory.add("with-a-file", session);
            var history = JsonNodeFactory.instance.arrayNode().add(shown(api, image));
            history.addAll(api.turn(api.read(ask(node, front, api, history))));
            long first = size();
            // random bytes do not shrink
            assertThat(first).isBetween((long) BYTES, BYTES + 100_000L);
            history.add(api.user("And now?"));
            ask(node, front, api, history);
            var parts = node.upstream().path("messages").get(0).path("content");
            assertThat(parts.findValue("url").textValue().endsWith(image)).isTrue();
            assertThat(recorder.completionCount()).isEqualTo(2);
            var digest = Picture.in(node.upstream().path("messages")).getFirst().digest();
            assertThat(Arrays.equals(recorder.image(digest).orElseThrow().bytes(), bytes))
                    .isTrue();
            assertSentFormsCanBeRead(recorder, image);
            session.close();
            assertThat(size() - first).as("what the second turn added").isBetween(1L, 100_000L);
        }
    }

    /** The picture stands in the requests as the agent and the engine had it. */
    private void assertSentFormsCanBeRead(SessionRecorder recorder, String image) throws IOException {
        var file = records.resolve("completions.json");
        try (var out = new BufferedOutputStream(Files.newOutputStream(file))) {
            recorder.writeCompletions("n", out);
        }
        var completions = Json.MAPPER.readTree(file.toFile()).path("completions");
        Files.delete(file);
        assertThat(completions).hasSize(2);
        for (var completion : completions) {
            for (var form : List.of("request", "original_request")) {
                assertThat(pictures(completion.path(form), image)).as(form).isEqualTo(1);
            }
        }
    }

    private static int pictures(JsonNode node, String image) {
        int here = node.isTextual() && node.textValue().endsWith(image) ? 1 : 0;
        for (var inner : node) {
            here += pictures(inner, image);
        }
        return here;
    }

    private long size() throws IOException {
        try (var files = Files.walk(records)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
