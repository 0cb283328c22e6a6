package dev.polar.capture;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.topology.GatewayConfig.Persistence;
import dev.polar.trajectory.PerRequestBuilder;
import dev.polar.trajectory.PerRequestConfig;
import dev.polar.trajectory.PrefixMergingBuilder;
import dev.polar.trajectory.PrefixMergingConfig;
import dev.polar.trajectory.TrajectoryAssembler;
import dev.polar.wire.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pictures in a record: kept once as bytes, given back in the forms in which they were sent. */
class PicturesTest {
    private static final byte[] FIRST = random(1, 5_000);
    private static final byte[] SECOND = random(2, 5_001);

    @TempDir
    private Path directory;

    private final List<RecordStore> stores = new ArrayList<>();

    @AfterEach
    void close() {
        stores.forEach(RecordStore::close);
    }

    private RecordStore store() {
        var store = new RecordStore(directory, Persistence.DEFAULT);
        stores.add(store);
        return store;
    }

    private static byte[] random(int seed, int length) {
        var bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static String url(byte[] bytes) {
        return "data:image/png;base64," + base64(bytes);
    }

    /** A user's message of texts, and of pictures where a text is an address. */
    private static ObjectNode message(String... parts) {
        var message = JsonNodeFactory.instance.objectNode().put("role", "user");
        var content = message.putArray("content");
        for (var part : parts) {
            if (part.contains(":")) {
                content.addObject()
                        .put("type", "image_url")
                        .putObject("image_url")
                        .put("url", part);
            } else {
                content.addObject().put("type", "text").put("text", part);
            }
        }
        return message;
    }

    private static ObjectNode request(ObjectNode... messages) {
        var request = JsonNodeFactory.instance.objectNode().put("model", "m");
        var list = request.putArray("messages");
        for (var message : messages) {
            list.add(message);
        }
        return request;
    }

    private static RecordedCalls.Call pictured(RecordedCalls.Call call, int... positions) {
        var pictures = Picture.in(call.entry().request().path("messages"));
        for (int i = 0; i < positions.length; i++) {
            call.picture(positions[i], pictures.get(i).digest());
        }
        return call;
    }

    private static JsonNode completions(SessionRecorder recorder) throws IOException {
        var out = new ByteArrayOutputStream();
        recorder.writeCompletions("n", out);
        return Json.MAPPER.readTree(out.toByteArray()).path("completions");
    }

    private long size() throws IOException {
        try (var files = Files.list(directory)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        }
    }

    @Test
    void a_picture_is_kept_once_and_each_form_of_it_comes_back_letter_for_letter() throws IOException {
        var recorder = store().create("s", "t");
        var calls = new RecordedCalls(recorder);
        var sent = request(message("How many?", url(FIRST), url(SECOND), url(FIRST)));
        var blocks = JsonNodeFactory.instance.objectNode();
        blocks.putArray("messages")
                .addObject()
                .putObject("source")
                .put("media_type", "image/png")
                .put("data", base64(FIRST))
                .put("n", 1.0);
        blocks.put("other", url(SECOND));
        calls.call("1 2", "3 9").request(sent).original(blocks).record();
        calls.call("1 2 3 9 4", "5 9").request(sent).original(blocks).record();

        assertThat(size()).isBetween(10_001L, 11_500L);
        for (var store : List.of(stores.getFirst(), store())) {
            var found = store.find("s").orElseThrow();
            for (var completion : completions(found)) {
                assertThat(completion.path("request")).isEqualTo(sent);
                assertThat(completion.path("original_request").toString()).isEqualTo(blocks.toString());
            }
            var stored = found.image(Picture.of(url(SECOND)).digest()).orElseThrow();
            assertThat(stored.bytes()).isEqualTo(SECOND);
            assertThat(stored.mediaType()).isEqualTo("image/png");
            store.close();
        }
    }

    @Test
    void a_picture_whose_text_is_not_the_plain_base64_of_its_bytes_is_there_by_its_bytes_and_its_text_stays()
            throws IOException {
        var recorder = store().create("s", "t");
        var wrapped = Base64.getMimeEncoder().encodeToString(FIRST);
        var unfilled = base64(SECOND).replace("=", "");
        var loose = base64(random(3, 100)).replaceAll("..==$", "//==");
        var sent = request(message(
                "data:image/png;base64," + wrapped,
                "data:image/png;base64," + unfilled,
                "data:image/png;base64," + loose,
                "data:image/svg+xml,%3Csvg/%3E"));
        new RecordedCalls(recorder).call("1 2", "3 9").request(sent).record();

        assertThat(completions(recorder).get(0).path("request")).isEqualTo(sent);
        assertThat(recorder.image(Picture.of(url(FIRST)).digest()).orElseThrow().bytes())
                .isEqualTo(FIRST);
        assertThat(recorder.image(Picture.of(url(SECOND)).digest())
                        .orElseThrow()
                        .bytes())
                .isEqualTo(SECOND);
        var svg = recorder.image(Picture.of("data:image/svg+xml,%3Csvg/%3E").digest())
                .orElseThrow();
        assertThat(new String(svg.bytes())).isEqualTo("<svg/>");
        assertThat(svg.mediaType()).isEqualTo("image/svg+xml");
    }

    @Test
    void a_picture_that_came_as_an_address_is_told_by_it_and_is_not_kept() {
        var recorder = store().create("s", "t");
        var there = "https://example.org/stars.png";
        new RecordedCalls(recorder)
                .call("1 2", "3 9")
                .request(request(message(there)))
                .record();

        var picture = Picture.of(there);
        assertThat(picture.digest()).startsWith("url-sha256:").hasSize("url-sha256:".length() + 64);
        assertThat(picture.mediaType()).isNull();
        assertThat(Picture.of(there + "?other").digest()).isNotEqualTo(picture.digest());
        assertThat(Picture.of("data:image/png;base64,====").digest()).startsWith("url-sha256:");
        assertThat(recorder.image(picture.digest())).isEmpty();
    }

    @Test
    void the_digest_is_the_sha_256_of_the_bytes() {
        // of "abc", as FIPS 180-4's example has it
        assertThat(Picture.of("data:image/png;base64,YWJj").digest())
                .isEqualTo("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    @Test
    void a_text_that_only_looks_like_a_kept_picture_stays_what_it_is() throws IOException {
        var recorder = store().create("s", "t");
        var text = "\u0000" + base64(FIRST);
        var sent = request(message("How many?", url(FIRST)));
        sent.put("note", text).put("system", base64(SECOND));
        new RecordedCalls(recorder)
                .call("1 2", "3 9")
                .request(sent)
                .original(sent)
                .record();

        assertThat(completions(recorder).get(0).path("request")).isEqualTo(sent);
    }

    @Test
    void a_trace_says_which_of_its_messages_show_which_pictures() {
        var calls = new RecordedCalls(store().create("s", "t"));
        var first = message("How many?", url(FIRST), "and", url(SECOND));
        var answer =
                JsonNodeFactory.instance.objectNode().put("role", "assistant").put("content", "answer 1");
        var plain = message("Now this one");
        var second = message(url(SECOND));
        pictured(calls.call("1 2", "3 9").request(request(plain, first)), 0, 1).record();
        pictured(calls.call("1 2 3 9 4", "5 9").request(request(plain, first, answer, plain, second)), 0, 1, 4)
                .record();
        var record = calls.seal(9);

        var merged = TrajectoryAssembler.build(new PrefixMergingBuilder(), record, PrefixMergingConfig.DEFAULT)
                .traces();
        assertThat(merged).hasSize(1);
        var digestOfFirst = Picture.of(url(FIRST)).digest();
        var digestOfSecond = Picture.of(url(SECOND)).digest();
        assertThat(merged.getFirst().metadata().get("images"))
                .isEqualTo(List.of(shown(1, digestOfFirst), shown(1, digestOfSecond), shown(4, digestOfSecond)));
        var messages = new ArrayList<Map<String, Object>>(merged.getFirst().promptMessages());
        messages.addAll(merged.getFirst().responseMessages());
        assertThat(messages.get(1)).isEqualTo(Json.MAPPER.convertValue(first, Map.class));
        assertThat(messages.get(4)).isEqualTo(Json.MAPPER.convertValue(second, Map.class));

        var each = TrajectoryAssembler.build(new PerRequestBuilder(), record, PerRequestConfig.DEFAULT)
                .traces();
        assertThat(each.getLast().metadata().get("images"))
                .isEqualTo(List.of(shown(1, digestOfFirst), shown(1, digestOfSecond), shown(4, digestOfSecond)));
    }

    @Test
    void e19_pictures_whose_places_nobody_can_tell_are_the_same_as_a_whole_or_not() {
        var recorder = store().create("s", "t");
        var calls = new RecordedCalls(recorder);
        calls.call("1 2", "3 9").picture(0, "sha256:a").record();
        calls.call("1 2 3 9 4", "5 9").picture(0, "sha256:a").record();
        calls.call("1 2 3 9 4 5 9 6", "7 9")
                .picture(0, "sha256:a")
                .picture(0, "sha256:b")
                .record();
        calls.call("1 2 3 9 4 5 9 6 7 9 8", "2 9")
                .picture(0, "sha256:a")
                .picture(0, "sha256:b")
                .record();
        var completions = calls.seal(9).completions();

        assertThat(completions.get(1).extendsPromptOf(completions.get(0))).isTrue();
        assertThat(completions.get(2).extendsPromptOf(completions.get(1))).isFalse();
        assertThat(completions.get(3).extendsPromptOf(completions.get(2))).isTrue();
    }

    private static Map<String, Object> shown(int message, String digest) {
        return Map.of("message_index", message, "digest", digest, "media_type", "image/png");
    }
}
