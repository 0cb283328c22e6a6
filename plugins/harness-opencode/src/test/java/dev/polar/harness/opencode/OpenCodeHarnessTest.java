package dev.polar.harness.opencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.polar.plugin.testing.AgentFolder;
import dev.polar.spi.ApiType;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the program is given, seen by a script in its place that prints its arguments, a part of its environment and its standard input. */
final class OpenCodeHarnessTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private final OpenCodeHarness harness = new OpenCodeHarness();

    @Test
    void the_key_is_in_the_environment_alone_and_the_prompt_comes_on_standard_input() throws Exception {
        var context = context(settings(null, null, null), List.of());
        harness.setup(context);

        var command = harness.commands(context).getFirst();
        var run = context.runtime().exec(command);

        assertThat(run.stdout())
                .startsWith("run|--format|json|--model|polar/a-model|--title|session|\n")
                .contains(
                        "OPENCODE_DISABLE_AUTOCOMPACT=1\n",
                        "OPENCODE_DISABLE_MODELS_FETCH=1\n",
                        "OPENCODE_DISABLE_PRUNE=1\n",
                        "POLAR_MODEL_API_KEY=a-secret\n")
                .endsWith("/help me\n");
        assertThat(command.command()).doesNotContain("a-secret");
        assertThat(Files.readString(folder.resolve("session/home/.config/opencode/opencode.json")))
                .doesNotContain("a-secret");
    }

    @ParameterizedTest
    @CsvSource({
        "OPENAI_CHAT, @ai-sdk/openai-compatible, /v1",
        "OPENAI_RESPONSES, @ai-sdk/openai, /v1",
        "ANTHROPIC, @ai-sdk/anthropic, /v1",
        "GOOGLE, @ai-sdk/google, /v1beta"
    })
    void the_dialect_chooses_the_built_in_library_and_the_address(ApiType api, String library, String path)
            throws Exception {
        harness.setup(context(settings(api, null, null), List.of()));

        var provider = configuration().at("/provider/polar");
        assertThat(provider.path("npm").asText()).isEqualTo(library);
        assertThat(provider.at("/options/baseURL").asText()).isEqualTo("http://127.0.0.1:1/s/token" + path);
        assertThat(provider.at("/options/apiKey").asText()).isEqualTo("{env:POLAR_MODEL_API_KEY}");
        assertThat(provider.at("/models/a-model/limit/context").asInt(-1)).isZero();
    }

    @Test
    void the_library_for_plugins_counts_as_installed() throws Exception {
        harness.setup(context(settings(null, null, null), List.of()));

        var config = folder.resolve("session/home/.config/opencode");
        assertThat(config.resolve("node_modules")).isDirectory();
        assertThat(JSON.readTree(config.resolve("package-lock.json").toFile())
                        .path("packages")
                        .path("")
                        .path("dependencies")
                        .path("@opencode-ai/plugin")
                        .asText())
                .isEqualTo("9.8.7");
    }

    @Test
    void tool_servers_and_tools_that_are_not_wanted_are_in_its_own_words() throws Exception {
        harness.setup(context(
                settings(null, null, List.of("webfetch")),
                List.of(
                        new McpServer("a", Transport.STDIO, "/polar/session/tools.sh", List.of("-x"), null),
                        new McpServer("b", Transport.SSE, null, null, "http://127.0.0.1:2/sse"),
                        new McpServer("c", Transport.STREAMABLE_HTTP, null, null, "http://127.0.0.1:2/mcp"))));

        var written = configuration();
        assertThat(written.at("/mcp/a/type").asText()).isEqualTo("local");
        assertThat(written.at("/mcp/a/command/0").asText()).isEqualTo(folder + "/session/tools.sh");
        assertThat(written.at("/mcp/a/command/1").asText()).isEqualTo("-x");
        assertThat(written.at("/mcp/b/url").asText()).isEqualTo("http://127.0.0.1:2/sse");
        assertThat(written.at("/mcp/c/type").asText()).isEqualTo("remote");
        assertThat(written.at("/tools/webfetch").asBoolean(true)).isFalse();
    }

    @Test
    void compaction_and_a_title_are_asked_for_by_settings() throws Exception {
        var context =
                context(new OpenCodeSettings(null, null, null, 20_000, 1_000, true, true, null, null, null), List.of());
        harness.setup(context);

        var command = harness.commands(context).getFirst();
        assertThat(command.command()).doesNotContain("--title");
        assertThat(command.env()).doesNotContainKeys("OPENCODE_DISABLE_AUTOCOMPACT", "OPENCODE_DISABLE_PRUNE");
        assertThat(configuration()
                        .at("/provider/polar/models/a-model/limit/context")
                        .asInt())
                .isEqualTo(20_000);
    }

    @Test
    void the_record_of_settings_refuses_what_cannot_be() {
        assertThatThrownBy(() -> new OpenCodeSettings("latest", null, null, null, null, null, null, null, null, null))
                .isInstanceOf(InvalidValueException.class);
        assertThatThrownBy(() -> settings(null, 0, null)).isInstanceOf(InvalidValueException.class);
    }

    private JsonNode configuration() throws IOException {
        return JSON.readTree(
                folder.resolve("session/home/.config/opencode/opencode.json").toFile());
    }

    private static OpenCodeSettings settings(ApiType api, Integer contextWindow, List<String> excludedTools) {
        return new OpenCodeSettings(null, null, api, contextWindow, null, null, null, excludedTools, null, null);
    }

    private HarnessContext<OpenCodeSettings> context(OpenCodeSettings settings, List<McpServer> servers)
            throws Exception {
        return new AgentFolder(folder, "opencode")
                .program(
                        "opencode",
                        "[ \"$1\" = --version ] && echo 9.8.7 && exit\n"
                                + "printf '%s|' \"$@\"; echo; env | grep -E '^(OPENCODE|POLAR)' | sort; cat")
                .context(settings, "/help me\n", servers, null);
    }
}
