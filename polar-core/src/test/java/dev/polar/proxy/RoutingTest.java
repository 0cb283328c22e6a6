package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import dev.polar.spi.Sampling;
import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which session a call belongs to, and what is served where. */
class RoutingTest {
    private static final String ASK = "{\"model\":\"any\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";

    private static HttpResponse<String> bareCall(Node node, String path, String... headers) throws IOException {
        var request = HttpRequest.newBuilder(URI.create(node.front.url() + path))
                .POST(HttpRequest.BodyPublishers.ofString(ASK));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return node.send(request.build());
    }

    /** The newer client of the JDK leaves out every header that begins with "proxy-". */
    private static int oldClient(Node node, String path, String header, String value) throws IOException {
        var connection =
                (HttpURLConnection) URI.create(node.front.url() + path).toURL().openConnection();
        connection.setRequestProperty(header, value);
        connection.setDoOutput(true);
        connection.getOutputStream().write(ASK.getBytes(StandardCharsets.UTF_8));
        return connection.getResponseCode();
    }

    @Test
    void a_key_opens_its_session_in_each_place_where_a_key_can_stand() throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            var chat = "/v1/chat/completions";
            assertThat(bareCall(node, "/s/" + Node.KEY + chat).statusCode()).isEqualTo(200);
            assertThat(bareCall(node, "/s/" + Node.KEY + "/" + chat).statusCode())
                    .isEqualTo(200);
            assertThat(bareCall(node, chat, "Authorization", "Bearer " + Node.KEY)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(bareCall(node, chat, "x-api-key", Node.KEY).statusCode()).isEqualTo(200);
            assertThat(bareCall(node, chat, "x-goog-api-key", Node.KEY).statusCode())
                    .isEqualTo(200);
            assertThat(bareCall(node, chat + "?key=" + Node.KEY).statusCode()).isEqualTo(200);
            assertThat(node.recorder.entries).hasSize(6);
        }
    }

    @Test
    void a_sessions_id_selects_a_bare_session_and_no_other() throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            var chat = "/v1/chat/completions";
            var bare = new AgentSession("bare-1", "t", true, node.recorder, Sampling.NONE, Map.of());
            bare.open();
            node.directory.add("bare-1", bare);
            assertThat(bareCall(node, chat, "x-session-id", "bare-1").statusCode())
                    .isEqualTo(200);
            assertThat(oldClient(node, chat, "proxy-x-session-id", "bare-1")).isEqualTo(200);
            assertThat(bareCall(node, chat + "?session_id=bare-1").statusCode()).isEqualTo(200);
            assertThat(bareCall(node, chat, "x-session-id", Node.KEY).statusCode())
                    .isEqualTo(401);
            assertThat(bareCall(node, chat, "Authorization", "Bearer nobody", "x-session-id", "ses_0123456789")
                            .statusCode())
                    .isEqualTo(401);
            assertThat(bareCall(node, "/s/nobody" + chat, "Authorization", "Bearer " + Node.KEY)
                            .statusCode())
                    .isEqualTo(401);
        }
    }

    @Test
    void a_stranger_gets_a_session_of_its_own_where_the_node_lets_it_in() throws IOException {
        try (var node = new Node(SimOptions.defaults(), Node.Setup.DEFAULT.open())) {
            assertThat(bareCall(node, "/v1/chat/completions").statusCode()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET,/s/secret-key,200",
        "HEAD,/s/secret-key,200",
        "HEAD,/s/secret-key/,200",
        "HEAD,/s/nobody,401",
        "DELETE,/s/secret-key,405"
    })
    void an_agent_can_look_at_its_base_address(String method, String path, int status) throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            var request = HttpRequest.newBuilder(URI.create(node.front.url() + path))
                    .method(method, HttpRequest.BodyPublishers.noBody());
            assertThat(node.send(request.build()).statusCode()).isEqualTo(status);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1beta/models/m:embedContent", "/v1/embeddings"})
    void what_is_not_served_says_so_in_an_error_that_parses(String path) throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            var response = node.post(path, ASK);
            assertThat(response.statusCode()).isEqualTo(404);
            assertThat(Bodies.parsed(response.body()).at("/error/message").textValue())
                    .contains(path);
            assertThat(node.post("/v1/nothing", ASK).statusCode()).isEqualTo(404);
            assertThat(node.send(node.request("/v1/chat/completions").GET().build())
                            .statusCode())
                    .isEqualTo(405);
        }
    }

    @Test
    void models_and_tokenize_are_the_engines_and_not_recorded() throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            var models = Bodies.parsed(
                    node.send(node.request("/v1/models").GET().build()).body());
            assertThat(models.at("/data/0/id").textValue()).isEqualTo("sim");
            assertThat(node.send(node.request("/v1/models/sim").GET().build()).statusCode())
                    .isEqualTo(200);
            assertThat(node.send(node.request("/v1/models/other").GET().build()).statusCode())
                    .isEqualTo(404);
            var tokens = node.answer("/v1/tokenize", "{\"model\":\"any\",\"prompt\":\"Hello world\"}");
            assertThat(tokens.path("tokens"))
                    .isNotEmpty()
                    .hasSize(tokens.path("count").intValue());
            assertThat(node.recorder.entries).isEmpty();
        }
    }

    @Test
    void a_helper_model_answers_under_its_alias_and_is_not_recorded() throws IOException {
        try (var helper = SimServer.start(SimOptions.builder().model("frozen").build())) {
            var pool = new NodeConfig.PoolModel("pool/judge", "frozen", helper.url(), null, 1);
            try (var node = new Node(SimOptions.defaults(), Node.Setup.DEFAULT.pool(pool))) {
                var answer = node.answer("/v1/chat/completions", ASK.replace("any", "pool/judge"));
                assertThat(answer.path("model").textValue()).isEqualTo("pool/judge");
                assertThat(helper.requests()).hasSize(1);
                assertThat(helper.requests().getFirst().body().path("model").textValue())
                        .isEqualTo("frozen");
                assertThat(helper.requests().getFirst().body().has("return_token_ids"))
                        .isFalse();
                assertThat(node.recorder.entries).isEmpty();
                node.answer("/v1/chat/completions", ASK);
                assertThat(node.recorder.entries).hasSize(1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "nonsense", "{} {}", "{\"messages\":"})
    void a_body_that_is_no_object_is_400_in_the_callers_shape(String body) throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            var chat = node.post("/v1/chat/completions", body);
            assertThat(chat.statusCode()).isEqualTo(400);
            assertThat(Bodies.parsed(chat.body()).at("/error/type").textValue()).isEqualTo("invalid_request_error");
            var messages = node.post("/v1/messages", body);
            assertThat(messages.statusCode()).isEqualTo(400);
            assertThat(Bodies.parsed(messages.body()).path("type").textValue()).isEqualTo("error");
        }
    }
}
