package dev.polar.harness.gemini;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.polar.harness.support.Install;
import dev.polar.plugin.testing.AgentFolder;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.InvalidValueException;
import dev.polar.spi.McpServer;
import dev.polar.spi.McpServer.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the program is given. Here it is a script that tells what came; the real one runs in the end-to-end tests. */
final class GeminiCliHarnessTest {
    static final GeminiCliSettings DEFAULTS =
            new GeminiCliSettings(null, null, null, null, null, null, null, null, null, null, null);

    @TempDir
    Path folder;

    @Test
    void the_program_finds_its_settings_key_and_prompt_in_the_sessions_own_folder() throws Exception {
        var context = context(DEFAULTS, "/fix it\nnow", List.of(), null);
        var said = run(context);

        assertThat(said)
                .contains("args=--yolo --output-format stream-json --model a-model;")
                .contains("home=" + folder.resolve("session/gemini_cli/home;"))
                .contains("key=a-secret;")
                .contains("base=http://127.0.0.1:1/s/token;")
                .contains("trust=true;")
                .endsWith("prompt=\n/fix it\nnow");
        assertThat(settings().at("/security/auth/selectedType").asText()).isEqualTo("gemini-api-key");
        assertThat(settings().at("/privacy/usageStatisticsEnabled").asBoolean(true))
                .isFalse();
        assertThat(settings().at("/telemetry/enabled").asBoolean(true)).isFalse();
        assertThat(settings().at("/general/enableAutoUpdate").asBoolean(true)).isFalse();
        assertThat(settings().at("/model").has("compressionThreshold")).isFalse();
        assertThat(settings().at("/model").has("maxSessionTurns")).isFalse();
        assertThat(settings().has("mcpServers")).isFalse();
    }

    @Test
    void settings_of_the_task_are_said_in_the_agents_own_words() throws Exception {
        var asked = new GeminiCliSettings(
                null, Install.AUTO, 3, 40, 16_384, true, false, false, List.of("web_fetch"), null, null);
        run(context(asked, "fix it", List.of(), null));

        assertThat(settings().at("/general/maxAttempts").asInt()).isEqualTo(3);
        assertThat(settings().at("/model/maxSessionTurns").asInt()).isEqualTo(40);
        assertThat(settings().at("/model/compressionThreshold").asDouble()).isEqualTo(16_384 / 1_048_576.0);
        assertThat(settings().at("/model/skipNextSpeakerCheck").asBoolean(true)).isFalse();
        assertThat(settings().at("/model/disableLoopDetection").asBoolean()).isTrue();
        assertThat(settings().at("/experimental/enableAgents").asBoolean(true)).isFalse();
        assertThat(settings().at("/tools/exclude/0").asText()).isEqualTo("web_fetch");
    }

    @Test
    void tool_servers_of_each_transport_and_skills_are_put_in_their_places() throws Exception {
        var skill = Files.createDirectories(folder.resolve("greeting"));
        Files.writeString(skill.resolve("SKILL.md"), "---\nname: greeting\ndescription: how\n---\nSay ahoy.\n");
        var servers = List.of(
                new McpServer("calc", Transport.STDIO, "python3", List.of("/polar/session/calc.py"), null),
                new McpServer("docs", Transport.SSE, null, null, "http://127.0.0.1:2/sse"),
                new McpServer("web", Transport.STREAMABLE_HTTP, null, null, "http://127.0.0.1:2/mcp"));
        run(context(DEFAULTS, "fix it", servers, skill));

        var told = settings().path("mcpServers");
        assertThat(told.at("/calc/command").asText()).isEqualTo("python3");
        assertThat(told.at("/calc/args/0").asText())
                .isEqualTo(folder.resolve("session/calc.py").toString());
        assertThat(told.at("/docs/url").asText()).isEqualTo("http://127.0.0.1:2/sse");
        assertThat(told.at("/web/httpUrl").asText()).isEqualTo("http://127.0.0.1:2/mcp");
        assertThat(home().resolve("skills/greeting/SKILL.md")).exists();
    }

    @Test
    void settings_say_what_is_wrong_with_them() {
        assertThatThrownBy(() ->
                        new GeminiCliSettings("latest", null, null, null, null, null, null, null, null, null, null))
                .isInstanceOf(InvalidValueException.class)
                .hasMessageStartingWith("version: 'latest' is no version");
        assertThatThrownBy(() -> new GeminiCliSettings(null, null, 11, null, null, null, null, null, null, null, null))
                .isInstanceOf(InvalidValueException.class)
                .hasMessageStartingWith("max_attempts");
    }

    /** What the script said, run as a session would. */
    private String run(HarnessContext<GeminiCliSettings> context) throws Exception {
        var harness = new GeminiCliHarness();
        harness.setup(context);
        var commands = harness.commands(context);
        assertThat(commands).hasSize(1);
        var run = context.runtime().exec(commands.getFirst());
        assertThat(run.succeeded()).as(run.stderr()).isTrue();
        return run.stdout();
    }

    private Path home() {
        return folder.resolve("session/gemini_cli/home/.gemini");
    }

    private JsonNode settings() throws IOException {
        return new ObjectMapper().readTree(home().resolve("settings.json").toFile());
    }

    private HarnessContext<GeminiCliSettings> context(
            GeminiCliSettings settings, String instruction, List<McpServer> servers, Path skills) throws IOException {
        return new AgentFolder(folder, "gemini_cli")
                .program("gemini", """
                        [ "$1" = --version ] && { echo 0.61.0; exit; }
                        echo "args=$*;home=$GEMINI_CLI_HOME;key=$GEMINI_API_KEY;base=$GOOGLE_GEMINI_BASE_URL;trust=$GEMINI_CLI_TRUST_WORKSPACE;"
                        printf prompt=
                        exec cat""")
                .context(settings, instruction, servers, skills == null ? null : skills.toString());
    }
}
