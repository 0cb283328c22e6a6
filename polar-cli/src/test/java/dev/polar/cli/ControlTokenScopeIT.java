package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.sim.SimServer;
import dev.polar.wire.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code polar serve} with {@code control_token_scope: public}, started in the C locale. */
@Isolated
class ControlTokenScopeIT {
    private static final String HEADER = "X-Polar-Control-Token";
    private static final String TOKEN = "the-control-token";

    private static Path folder;

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static SimServer sim;
    private static PolarProcess server;
    private static String rollout;
    private static String gateway;

    @BeforeAll
    static void serve() throws Exception {
        folder = KeptFolder.of(ControlTokenScopeIT.class);
        ServeIT.copyExample(folder);
        var topology = folder.resolve("topology.yaml");
        Files.writeString(topology, "control_token_scope: public\n" + Files.readString(topology));
        sim = SimCommand.start(SimCommand.options(folder.resolve("scenario.yaml"), null));
        server = PolarProcess.start(
                folder,
                Map.of(
                        "POLAR_PORT", "0",
                        "POLAR_GATEWAY_PORT", "0",
                        "POLAR_ROLLOUT_HOST", "127.0.0.1",
                        "POLAR_CONTROL_PLANE_TOKEN", TOKEN,
                        "MODEL_URL", sim.url(),
                        "LC_ALL", "C"),
                "serve",
                "-c",
                "topology.yaml",
                "--json");
        var ready = server.ready();
        rollout = ready.path("url").asText();
        gateway = ready.path("gateway").asText();
    }

    @AfterAll
    static void end() {
        if (server != null) {
            server.close();
        }
        if (sim != null) {
            sim.close();
        }
    }

    private static HttpResponse<String> post(String url, String token, String body)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(url)).POST(BodyPublishers.ofString(body));
        if (token != null) {
            request.header(HEADER, token);
        }
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    private static HttpResponse<String> get(String url) throws IOException, InterruptedException {
        return CLIENT.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/rollout/task/submit",
                "/rollout/task/submit/",
                "/rollout/task/submit;x=1",
                "/nodes/register",
                "/nodes/register/",
                "/nodes/local/heartbeat",
                "/nodes/local/heartbeat/",
                "/callbacks/session_result",
                "/callbacks/session_result/"
            })
    void the_routes_of_our_own_processes_need_the_token_however_their_path_is_spelled(String path) throws Exception {
        assertThat(post(rollout + path, null, "{}").statusCode()).isEqualTo(401);
        assertThat(post(rollout + path, "another", "{}").statusCode()).isEqualTo(401);
        assertThat(post(rollout + path, TOKEN, "{}").statusCode()).isNotIn(401, 500);
    }

    @Test
    void what_public_trainers_ask_needs_none() throws Exception {
        assertThat(get(rollout + "/rollout/status").statusCode()).isEqualTo(200);
        assertThat(get(rollout + "/rollout/task/none").statusCode()).isEqualTo(404);
        assertThat(get(gateway + "/sessions").statusCode()).isEqualTo(200);
        assertThat(post(gateway + "/sessions", null, "{}").statusCode()).isEqualTo(200);
    }

    @Test
    void a_dispatch_needs_it() throws Exception {
        var dispatch = """
                {"session_id": "sk-polar-stranger", "task_id": "t", "instruction": "x", "remaining_timeout_seconds": 5,
                 "runtime": {"backend": "local"}, "agent": {"harness": "shell", "custom_shell": {"command": "true"}}}
                """;
        assertThat(post(gateway + "/sessions", null, dispatch).statusCode()).isEqualTo(401);
        assertThat(get(gateway + "/sessions").body()).doesNotContain("sk-polar-stranger");
    }

    @Test
    @Timeout(120)
    void an_agent_gets_its_instruction_whole_where_the_locale_has_no_letter_for_it() throws Exception {
        var task = """
                {"task_id": "unicode", "instruction": "naïve 日本 🎉", "runtime": {"backend": "local"},
                 "agent": {"harness": "shell", "custom_shell": {"command": "test {{INSTRUCTION}} = \\"$(printf 'na\\\\303\\\\257ve \\\\346\\\\227\\\\245\\\\346\\\\234\\\\254 \\\\360\\\\237\\\\216\\\\211')\\""}}}
                """;
        assertThat(post(rollout + "/rollout/task/submit", TOKEN, task).statusCode())
                .isEqualTo(200);
        var done = Json.MAPPER.readTree(get(rollout + "/rollout/task/unicode").body());
        while (done.path("status").asText().equals("running")) {
            Thread.sleep(100);
            done = Json.MAPPER.readTree(get(rollout + "/rollout/task/unicode").body());
        }
        // It asks no model; had it been given other letters, its exit status would stand here.
        assertThat(done.path("results").path(0).path("error").asText()).isEqualTo("no completions");
    }
}
