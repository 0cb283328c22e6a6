package dev.polar.harness.pi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.polar.plugin.testing.AgentFolder;
import dev.polar.spi.AgentReport.Said;
import dev.polar.spi.ApiType;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.InvalidValueException;
import dev.polar.spi.McpServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PiHarnessTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final PiSettings DEFAULTS = settings(null, null);

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "OPENAI_CHAT,openai-completions,http://127.0.0.1:1/s/token/v1",
        "OPENAI_RESPONSES,openai-responses,http://127.0.0.1:1/s/token/v1",
        "ANTHROPIC,anthropic-messages,http://127.0.0.1:1/s/token",
        "GOOGLE,google-generative-ai,http://127.0.0.1:1/s/token/v1beta"
    })
    void each_dialect_is_named_in_its_words_with_the_address_that_it_puts_its_paths_after(
            ApiType api, String word, String base) throws Exception {
        var models = JSON.valueToTree(Configuration.models(context(settings(api, null), List.of())));

        var provider = models.at("/providers/polar");
        assertThat(provider.path("api").asText()).isEqualTo(word);
        assertThat(provider.path("baseUrl").asText()).isEqualTo(base);
        assertThat(provider.at("/models/0/id").asText()).isEqualTo("a-model");
        assertThat(models.toString()).doesNotContain("a-secret");
    }

    @Test
    void settings_reach_its_configuration() throws Exception {
        var settings = new PiSettings(null, null, null, "high", true, 8_000, 500, true, 0, 100, 9_000, null, null);

        JsonNode model = JSON.valueToTree(Configuration.models(context(settings, List.of())))
                .at("/providers/polar/models/0");
        JsonNode own = JSON.valueToTree(Configuration.settings(settings));

        assertThat(model.path("reasoning").asBoolean()).isTrue();
        assertThat(model.path("contextWindow").asInt()).isEqualTo(8_000);
        assertThat(model.path("maxTokens").asInt()).isEqualTo(500);
        assertThat(model.path("input")).hasSize(2);
        assertThat(own.at("/compaction/enabled").asBoolean()).isTrue();
        assertThat(own.at("/retry/enabled").asBoolean(true)).isFalse();
        assertThat(own.at("/retry/provider/timeoutMs").asInt()).isEqualTo(9_000);
    }

    @Test
    void the_session_has_its_own_folder_with_configuration_and_skills() throws Exception {
        var agent = agent().program("pi", "echo 0.74.2");
        var context = agent.context(DEFAULTS, "an instruction", List.of(), agent.skill("counting"));

        new PiHarness().setup(context);
        var command = new PiHarness().commands(context).getFirst();

        var home = agent.session().resolve("pi/config");
        assertThat(home.resolve("models.json")).isRegularFile();
        assertThat(home.resolve("settings.json")).isRegularFile();
        assertThat(home.resolve("skills/counting/SKILL.md")).isRegularFile();
        assertThat(command.env()).containsEntry("PI_CODING_AGENT_DIR", home.toString());
        assertThat(command.command())
                .containsSequence("--provider", "polar", "--model", "a-model")
                .noneMatch(word -> word.contains("secret"));
    }

    @Test
    void tool_servers_are_refused_by_name() throws Exception {
        var server = new McpServer("files", null, "serve", List.of(), null);
        var context = context(DEFAULTS, List.of(server));

        assertThatThrownBy(() -> new PiHarness().setup(context))
                .isInstanceOf(ExtensionException.class)
                .hasMessageStartingWith("agent.mcp_servers: pi takes no tool servers, so 'files' cannot be used");
    }

    @Test
    void the_last_answer_says_how_the_run_ended_and_usage_adds_up() {
        var report = report(
                "{\"type\":\"agent_start\"}",
                answer("toolUse", "I look.", null),
                "{\"type\":\"message_end\",\"message\":{\"role\":\"toolResult\",\"content\":[]}}",
                answer("stop", "All is done.", null),
                "{\"type\":\"agent_end\",\"messages\":[]}");

        assertThat(report.said()).isEqualTo(Said.FINISHED);
        assertThat(report.result())
                .containsEntry("num_turns", 2)
                .containsEntry("result", "All is done.")
                .containsEntry("stop_reason", "stop")
                .containsEntry("api", "openai_chat")
                .containsEntry("usage", Map.of("input_tokens", 10L, "output_tokens", 6L));
    }

    @Test
    void an_answer_that_was_cut_is_giving_up_although_it_exits_with_0() {
        var report = report("{\"type\":\"agent_start\"}", answer("length", "And so", null), "{\"type\":\"agent_end\"}");

        assertThat(report.said()).isEqualTo(Said.GAVE_UP);
        assertThat(report.message()).isEqualTo("its last answer ended by length");
    }

    @Test
    void an_answer_that_is_an_error_is_a_failure_although_it_exits_with_0() {
        var report = report(
                "{\"type\":\"agent_start\"}",
                answer("error", "", "500 the engine died"),
                "{\"type\":\"agent_end\",\"messages\":[]}",
                "{\"type\":\"auto_retry_end\",\"success\":false,\"attempt\":1}");

        assertThat(report.said()).isEqualTo(Said.FAILED);
        assertThat(report.message()).isEqualTo("500 the engine died");
    }

    @Test
    void a_retry_that_went_well_is_no_failure_and_one_that_was_cut_is_no_end() {
        var failed = new String[] {
            "{\"type\":\"agent_start\"}", answer("error", "", "503"), "{\"type\":\"agent_end\",\"messages\":[]}"
        };
        assertThat(report(
                                failed[0],
                                failed[1],
                                failed[2],
                                "{\"type\":\"agent_start\"}",
                                answer("stop", "Done.", null),
                                "{\"type\":\"agent_end\",\"messages\":[]}")
                        .said())
                .isEqualTo(Said.FINISHED);
        assertThat(report(failed[0], failed[1], failed[2], "{\"type\":\"agent_start\"}")
                        .said())
                .isEqualTo(Said.NOTHING);
    }

    @Test
    void a_last_event_that_is_too_long_to_be_kept_still_says_how_the_last_answer_ended() {
        var start = "{\"type\":\"agent_start\"}";
        var note = "[5000000 bytes were left out here]";
        var text =
                "abc\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"\\\"stopReason\\\":\\\"stop\\\"\"}]";

        assertThat(report(start, note, text + ",\"stopReason\":\"stop\",\"timestamp\":1}]}")
                        .said())
                .isEqualTo(Said.FINISHED);
        assertThat(report(start, note, text + ",\"stopReason\":\"error\",\"timestamp\":1}]}")
                        .said())
                .isEqualTo(Said.FAILED);
        assertThat(report(start, note, text + "}]}").said()).isEqualTo(Said.NOTHING);
        assertThat(report(start, note, text + ",\"stopReason\":\"stop\",\"timest")
                        .said())
                .isEqualTo(Said.NOTHING);
    }

    @Test
    void a_compaction_that_failed_at_the_end_is_a_failure() {
        var report = report(
                "{\"type\":\"agent_start\"}",
                answer("error", "", "prompt is too long"),
                "{\"type\":\"agent_end\",\"messages\":[]}",
                "{\"type\":\"compaction_end\",\"reason\":\"overflow\",\"errorMessage\":\"recovery failed\"}");

        assertThat(report.said()).isEqualTo(Said.FAILED);
        assertThat(report.message()).isEqualTo("recovery failed");
    }

    @Test
    void a_summary_is_a_compaction_that_the_agent_resumes_from() {
        assertThat(CallTable.labels(List.of(
                        call("You are an expert coding assistant", "edit"),
                        call("You are a context summarization assistant. Your task is", null),
                        call("You are an expert coding assistant", "edit"))))
                .containsExactly(
                        CallLabel.MAIN,
                        new CallLabel("main", null, "compaction"),
                        new CallLabel("main", null, "resumed"));
    }

    @Test
    void settings_say_what_is_wrong_with_them() {
        assertThatThrownBy(() -> settings(null, "a lot"))
                .isInstanceOf(InvalidValueException.class)
                .hasMessageContaining("thinking: 'a lot' is none of off, minimal, low, medium, high, xhigh");
    }

    private static PiSettings settings(ApiType api, String thinking) {
        return new PiSettings(null, null, api, thinking, null, null, null, null, null, null, null, null, null);
    }

    private static dev.polar.spi.AgentReport report(String... events) {
        var stdout = String.join("\n", events);
        return RunReport.of(new ExecResult(0, false, false, stdout, "", stdout.length(), 0))
                .report(DEFAULTS, "0.74.2");
    }

    private static String answer(String stopReason, String text, String error) {
        return "{\"type\":\"message_end\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\""
                + text + "\"}],\"usage\":{\"input\":5,\"output\":3},\"stopReason\":\"" + stopReason + "\""
                + (error == null ? "" : ",\"errorMessage\":\"" + error + "\"") + "}}";
    }

    private AgentFolder agent() {
        return new AgentFolder(folder, "pi");
    }

    private HarnessContext<PiSettings> context(PiSettings settings, List<McpServer> servers) throws Exception {
        return agent().context(settings, "an instruction", servers, null);
    }

    private static CallFacts call(String system, String tool) {
        return new CallFacts(
                null,
                0,
                ApiType.OPENAI_CHAT,
                Map.of(),
                system,
                "",
                tool == null ? List.of() : List.of(tool),
                2,
                OptionalInt.of(16_384),
                true);
    }
}
