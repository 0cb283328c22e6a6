package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.inference.JsonTree;
import dev.polar.spi.ApiType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Any bytes as a request's body: decoded and answered, or refused with a 400 that the dialect can word; nothing else.
 *
 * <p>The build runs the bodies that are kept among the test resources, without Jazzer, whose agent would stay in the JVM of the other tests. To search for new ones by coverage, a minute for one
 * dialect, one dialect at a time:
 *
 * <pre>{@code
 * JAZZER_FUZZ=1 mvn test -pl polar-core -am -Dpolar.tests.excluded=none -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Dtest='DecoderJazzerTest#a_chat_request_of_any_bytes_is_refused_or_understood'
 * }</pre>
 *
 * <p>A body that fails is written beside those that are kept, so that the build runs it from then on. What a search learned is in {@code polar-core/.cifuzz-corpus}, for the next one.
 */
class DecoderJazzerTest {
    private static final String SEARCH = "60s";
    private static final Reply REPLY =
            Reply.of(Answers.of("{'choices':[{'finish_reason':'tool_calls','message':{'reasoning':'r','content':'c',"
                    + "'tool_calls':[{'id':'c','function':{'name':'f','arguments':'{}'}}]}}]}"));

    @TestFactory
    Stream<DynamicTest> every_kept_body_is_refused_or_understood() {
        return Arrays.stream(ApiType.values())
                .flatMap(api -> kept(api).stream()
                        .map(file -> DynamicTest.dynamicTest(
                                api + " " + file.getFileName(), () -> send(api, Files.readAllBytes(file)))));
    }

    @Search
    @FuzzTest(maxDuration = SEARCH)
    void a_chat_request_of_any_bytes_is_refused_or_understood(byte[] body) {
        send(ApiType.OPENAI_CHAT, body);
    }

    @Search
    @FuzzTest(maxDuration = SEARCH)
    void a_messages_request_of_any_bytes_is_refused_or_understood(byte[] body) {
        send(ApiType.ANTHROPIC, body);
    }

    @Search
    @FuzzTest(maxDuration = SEARCH)
    void a_responses_request_of_any_bytes_is_refused_or_understood(byte[] body) {
        send(ApiType.OPENAI_RESPONSES, body);
    }

    @Search
    @FuzzTest(maxDuration = SEARCH)
    void a_google_request_of_any_bytes_is_refused_or_understood(byte[] body) {
        send(ApiType.GOOGLE, body);
    }

    /** A long search: the build leaves it out, since Jazzer's agent goes into the JVM even to run what is kept. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @Tag("search")
    @interface Search {}

    /** Where Jazzer looks for them: in a folder of the test's name. */
    private static List<Path> kept(ApiType api) {
        var word = switch (api) {
            case OPENAI_CHAT -> "chat";
            case ANTHROPIC -> "messages";
            case OPENAI_RESPONSES -> "responses";
            case GOOGLE -> "google";
        };
        var folder = DecoderJazzerTest.class.getResource(
                "DecoderJazzerTestInputs/a_" + word + "_request_of_any_bytes_is_refused_or_understood");
        try (var files = Files.list(Path.of(folder.toURI()))) {
            var sorted = files.sorted().toList();
            assertThat(sorted).as("bodies kept for %s", api).isNotEmpty();
            return sorted;
        } catch (IOException | URISyntaxException unreadable) {
            throw new IllegalStateException("the kept bodies of " + api + " cannot be read at " + folder, unreadable);
        }
    }

    /** A session of its own for each, so that a failure does not hang on those before it. */
    private static Dialect dialect(ApiType api) {
        return switch (api) {
            case OPENAI_CHAT -> new ChatDialect();
            case ANTHROPIC -> new MessagesDialect();
            case OPENAI_RESPONSES -> new ResponsesDialect(Bodies.session());
            case GOOGLE -> new GoogleDialect(Bodies.session(), "m", GoogleDialect.Form.COUNT);
        };
    }

    private static void send(ApiType api, byte[] body) {
        var dialect = dialect(api);
        try {
            var call = dialect.decode(RequestBody.read(new SentBody(body), 1 << 20));
            assertThat(call.messages()).isNotEmpty();
            assertThat(sent(dialect.encode(call, REPLY))).isNotEmpty();
            assertThat(dialect.stream(call).answer(REPLY)).isNotEmpty();
        } catch (RefusedException refused) {
            checkError(dialect, refused.fault());
        } catch (IOException gone) {
            throw new UncheckedIOException("a body that arrived whole is taken for a caller that has gone", gone);
        }
    }

    private static void checkError(Dialect dialect, Fault fault) {
        // whether it is too large or in an unknown coding is not the decoder's matter
        assertThat(fault.status()).isEqualTo(400);
        var error = sent(dialect.error(fault)).path("error");
        assertThat(error.path("message").asText()).isNotBlank();
        switch (dialect.api()) {
            case GOOGLE -> assertThat(error.path("code").asInt()).isEqualTo(fault.status());
            case ANTHROPIC, OPENAI_CHAT, OPENAI_RESPONSES ->
                assertThat(error.path("type").asText()).isEqualTo("invalid_request_error");
        }
    }

    /** As the caller reads it. */
    private static JsonNode sent(JsonNode answer) {
        try {
            return JsonTree.read(new ByteArrayInputStream(JsonTree.write(answer)));
        } catch (IOException notJson) {
            throw new UncheckedIOException("the caller cannot read the answer", notJson);
        }
    }
}
