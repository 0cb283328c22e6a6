package dev.polar.harness.qwen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.polar.plugin.testing.AgentFolder;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.InvalidValueException;
import dev.polar.spi.McpServer;
import dev.polar.spi.McpServer.Transport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the program is given, seen by a script in its place that prints its arguments, a part of its environment and its standard input. */
final class QwenCodeHarnessTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private final QwenCodeHarness harness = new QwenCodeHarness();

    @Test
    void the_program_gets_key_and_address_by_its_environment_and_the_prompt_on_standard_input() throws Exception {
        var context = context(settings(null, null, null), List.of());
        harness.setup(context);

        var command = harness.commands(context).getFirst();
        var run = context.runtime().exec(command);

        assertThat(run.stdout())
                .startsWith("--yolo|--auth-type|openai|--output-format|stream-json|--model|a-model|\n")
                .contains("OPENAI_API_KEY=a-secret\n", "OPENAI_BASE_URL=http://127.0.0.1:1/s/token/v1\n")
                .endsWith("Mend it.\n");
        assertThat(command.command()).doesNotContain("a-secret");
        assertThat(Files.readString(folder.resolve("session/qwen_code/config/settings.json")))
                .doesNotContain("a-secret");
    }

    @Test
    void a_first_slash_is_no_command_of_the_programs_own() throws Exception {
        var context = context("/help me", settings(null, null, null), List.of());
        harness.setup(context);

        assertThat(context.runtime().exec(harness.commands(context).getFirst()).stdout())
                .endsWith("\n\n/help me");
    }

    @Test
    void nothing_is_sent_home_and_the_settings_are_in_its_own_words() throws Exception {
        var context = context(
                new QwenCodeSettings(null, null, 2, 60_000, 1_000, 30, true, List.of("agent", "skill"), null, null),
                List.of(
                        new McpServer("a", Transport.STDIO, "/polar/session/tools.sh", List.of("-x"), null),
                        new McpServer("b", Transport.SSE, null, null, "http://127.0.0.1:2/sse"),
                        new McpServer("c", Transport.STREAMABLE_HTTP, null, null, "http://127.0.0.1:2/mcp")));
        harness.setup(context);

        var written = JSON.readTree(
                folder.resolve("session/qwen_code/config/settings.json").toFile());
        assertThat(written.at("/privacy/usageStatisticsEnabled").asBoolean(true))
                .isFalse();
        assertThat(written.at("/telemetry/enabled").asBoolean(true)).isFalse();
        assertThat(written.at("/general/enableAutoUpdate").asBoolean(true)).isFalse();
        assertThat(written.at("/memory/enableManagedAutoMemory").asBoolean()).isTrue();
        assertThat(written.at("/model/generationConfig/contextWindowSize").asInt())
                .isEqualTo(60_000);
        assertThat(written.at("/model/generationConfig/maxRetries").asInt()).isEqualTo(2);
        assertThat(written.at("/mcpServers/a/command").asText()).isEqualTo(folder + "/session/tools.sh");
        assertThat(written.at("/mcpServers/a/args/0").asText()).isEqualTo("-x");
        assertThat(written.at("/mcpServers/b/url").asText()).isEqualTo("http://127.0.0.1:2/sse");
        assertThat(written.at("/mcpServers/c/httpUrl").asText()).isEqualTo("http://127.0.0.1:2/mcp");
        var command = harness.commands(context).getFirst();
        assertThat(command.command())
                .containsSequence("--max-session-turns", "30")
                .containsSequence("--exclude-tools", "agent,skill");
        assertThat(command.env()).containsEntry("QWEN_CODE_MAX_OUTPUT_TOKENS", "1000");
    }

    @Test
    void the_tasks_environment_wins_and_the_record_of_settings_refuses_what_cannot_be() throws Exception {
        var context = context(settings(null, null, null), List.of());

        assertThat(harness.commands(context).getFirst().env()).containsEntry("OPENAI_MODEL", "of the task");
        assertThatThrownBy(() -> settings("latest", null, null)).isInstanceOf(InvalidValueException.class);
        assertThatThrownBy(() -> settings(null, -1, null)).isInstanceOf(InvalidValueException.class);
        assertThatThrownBy(() -> settings(null, null, 0)).isInstanceOf(InvalidValueException.class);
    }

    private static QwenCodeSettings settings(String version, Integer maxRetries, Integer contextWindow) {
        return new QwenCodeSettings(version, null, maxRetries, contextWindow, null, null, null, null, null, null);
    }

    private HarnessContext<QwenCodeSettings> context(QwenCodeSettings settings, List<McpServer> servers)
            throws Exception {
        return context("Mend it.\n", settings, servers);
    }

    private HarnessContext<QwenCodeSettings> context(
            String instruction, QwenCodeSettings settings, List<McpServer> servers) throws Exception {
        return new AgentFolder(folder, "qwen_code")
                .program("qwen", "printf '%s|' \"$@\"; echo; env | grep -E '^(OPENAI|QWEN)' | sort; cat")
                .context(settings, instruction, servers, null, Map.of("OPENAI_MODEL", "of the task"));
    }
}
