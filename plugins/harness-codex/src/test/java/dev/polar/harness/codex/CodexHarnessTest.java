package dev.polar.harness.codex;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
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
import dev.polar.spi.McpServer.Transport;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CodexHarnessTest {
    private static final CodexSettings DEFAULTS = settings(Map.of());

    @TempDir
    Path folder;

    @Test
    void its_configuration_names_the_session_as_the_only_provider_and_holds_no_secret() throws Exception {
        var toml = Configuration.toml(context(DEFAULTS, List.of()));

        var config = read(toml);
        assertThat(config.path("model_provider").asText()).isEqualTo("polar");
        assertThat(config.at("/model_providers/polar/base_url").asText()).isEqualTo("http://127.0.0.1:1/s/token/v1");
        assertThat(config.at("/model_providers/polar/wire_api").asText()).isEqualTo("responses");
        assertThat(config.at("/model_providers/polar/request_max_retries").asInt())
                .isEqualTo(4);
        assertThat(config.path("sandbox_mode").asText()).isEqualTo("danger-full-access");
        assertThat(config.at("/features/apps").asBoolean(true)).isFalse();
        assertThat(config.has("model_reasoning_effort")).isFalse();
        assertThat(toml).doesNotContain("a-secret");
    }

    @Test
    void settings_reach_its_configuration_and_its_own_keys_are_laid_over_it() throws Exception {
        var settings = new CodexSettings(
                null,
                null,
                "high",
                32_000,
                20_000,
                0,
                1,
                1_000,
                Map.of(
                        "model_providers", Map.of("polar", Map.of("supports_websockets", true)),
                        "web_search", "live",
                        "a key", List.of(1, 2)),
                7L,
                Map.of("top_k", 20));

        var config = read(Configuration.toml(context(settings, List.of())));

        assertThat(config.path("model_reasoning_effort").asText()).isEqualTo("high");
        assertThat(config.path("model_context_window").asInt()).isEqualTo(32_000);
        assertThat(config.path("model_auto_compact_token_limit").asInt()).isEqualTo(20_000);
        var provider = config.at("/model_providers/polar");
        assertThat(provider.path("supports_websockets").asBoolean()).isTrue();
        assertThat(provider.path("name").asText()).isEqualTo("Polar");
        assertThat(provider.path("stream_idle_timeout_ms").asInt()).isEqualTo(1_000);
        assertThat(config.path("web_search").asText()).isEqualTo("live");
        assertThat(config.path("a key")).hasSize(2);
    }

    @Test
    void tool_servers_are_written_in_its_own_words_and_sse_is_refused_by_name() throws Exception {
        var stdio = new McpServer("files", null, "/polar/session/serve", List.of("--quote", "a \"b\" \\ c"), null);
        var http = new McpServer("web", Transport.STREAMABLE_HTTP, null, null, "http://127.0.0.1:9/mcp");
        var context = context(DEFAULTS, List.of(stdio, http));

        var servers = read(Configuration.toml(context)).path("mcp_servers");

        assertThat(servers.at("/files/command").asText())
                .isEqualTo(folder.resolve("session/serve").toString());
        assertThat(servers.at("/files/args/1").asText()).isEqualTo("a \"b\" \\ c");
        assertThat(servers.at("/web/url").asText()).isEqualTo("http://127.0.0.1:9/mcp");
        var sse = new McpServer("old", Transport.SSE, null, null, "http://127.0.0.1:9/sse");
        var refused = context(DEFAULTS, List.of(sse));
        assertThatThrownBy(() -> new CodexHarness().setup(refused))
                .isInstanceOf(ExtensionException.class)
                .hasMessage("agent.mcp_servers: codex takes no server of transport sse (http://127.0.0.1:9/sse):"
                        + " use streamable-http or stdio");
    }

    @Test
    void the_session_has_its_own_folder_with_configuration_and_skills() throws Exception {
        var agent = agent().program("codex", "echo codex-cli 0.171.0");
        var context = agent.context(DEFAULTS, "an instruction", List.of(), agent.skill("counting"));

        new CodexHarness().setup(context);
        var command = new CodexHarness().commands(context).getFirst();

        var home = agent.session().resolve("codex/config");
        assertThat(home.resolve("config.toml")).isRegularFile();
        assertThat(home.resolve("skills/counting/SKILL.md")).isRegularFile();
        assertThat(command.env()).containsEntry("CODEX_HOME", home.toString());
        assertThat(command.command()).containsSequence("-m", "a-model", "-").noneMatch(word -> word.contains("secret"));
    }

    @Test
    void a_completed_turn_is_the_end_with_its_usage_and_last_message() {
        var report = RunReport.of(exited(0, """
                        {"type":"thread.started","thread_id":"t1"}
                        {"type":"item.completed","item":{"type":"error","message":"Model metadata not found"}}
                        {"type":"turn.started"}
                        {"type":"error","message":"Reconnecting... 1/5"}
                        {"type":"item.completed","item":{"type":"agent_message","text":"All is done."}}
                        {"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":3}}
                        """, "")).report(DEFAULTS, "0.171.0");

        assertThat(report.said()).isEqualTo(Said.FINISHED);
        assertThat(report.result())
                .containsEntry("thread_id", "t1")
                .containsEntry("result", "All is done.")
                .containsEntry("usage", Map.of("input_tokens", 10, "cached_input_tokens", 0, "output_tokens", 3))
                .doesNotContainKey("warnings");
        assertThat(report.traceMetadata()).containsEntry("agent_version", "0.171.0");
    }

    @Test
    void a_failed_turn_says_why_and_an_error_alone_is_no_end() {
        var failed = RunReport.of(exited(1, """
                        {"type":"turn.started"}
                        {"type":"error","message":"503"}
                        {"type":"turn.failed","error":{"message":"unexpected status 503"}}
                        """, "")).report(DEFAULTS, null);
        assertThat(failed.said()).isEqualTo(Said.FAILED);
        assertThat(failed.message()).isEqualTo("unexpected status 503");

        var killed = RunReport.of(
                        exited(137, "{\"type\":\"turn.started\"}\n{\"type\":\"error\",\"message\":\"503\"}\n", ""))
                .report(DEFAULTS, null);
        assertThat(killed.said()).isEqualTo(Said.NOTHING);
    }

    @Test
    void another_version_is_a_warning() {
        var report = RunReport.of(exited(0, "", "")).report(DEFAULTS, "0.99.0");

        assertThat(report.result().get("warnings").toString())
                .contains("the runtime's codex is version 0.99.0, not 0.171.0");
    }

    @Test
    void sub_agents_are_told_apart_by_their_thread_and_compactions_by_what_the_program_says() {
        var labels = CallTable.labels(List.of(
                call("turn", "t0", null, "fix it"),
                call("turn", "t1", "collab_spawn", "look"),
                call("compaction", "t0", null, "You are performing a CONTEXT CHECKPOINT COMPACTION. Create"),
                call("turn", "t2", "collab_spawn", "look"),
                call("turn", "t0", null, "go on"),
                call("turn", "t1", "collab_spawn", "look"),
                call("memory", "t9", null, "remember")));

        assertThat(labels)
                .containsExactly(
                        CallLabel.MAIN,
                        new CallLabel("subagent", "t1", null),
                        new CallLabel("main", null, "compaction"),
                        new CallLabel("subagent", "t2", null),
                        new CallLabel("main", null, "resumed"),
                        new CallLabel("subagent", "t1", null),
                        CallLabel.AUXILIARY);
    }

    @Test
    void calls_of_a_kind_that_is_not_known_are_the_main_line_where_there_is_no_other() {
        assertThat(CallTable.labels(List.of(call("user_turn", "t0", null, "a"), call(null, "t0", null, "b"))))
                .containsExactly(CallLabel.AUXILIARY, CallLabel.MAIN);
        assertThat(CallTable.labels(List.of(call("user_turn", "t0", null, "a"), call("user_turn", "t0", null, "b"))))
                .containsOnly(CallLabel.MAIN);
    }

    @Test
    void settings_say_what_is_wrong_with_them() {
        assertThatThrownBy(() ->
                        new CodexSettings(null, null, "very much", null, null, null, null, null, null, null, null))
                .isInstanceOf(InvalidValueException.class)
                .hasMessageContaining("reasoning_effort: 'very much' is no word such as low, medium or high");
    }

    private static CodexSettings settings(Map<String, Object> config) {
        return new CodexSettings(null, null, null, null, null, null, null, null, config, null, null);
    }

    private AgentFolder agent() {
        return new AgentFolder(folder, "codex");
    }

    private HarnessContext<CodexSettings> context(CodexSettings settings, List<McpServer> servers) throws Exception {
        return agent().context(settings, "an instruction", servers, null);
    }

    private static JsonNode read(String toml) throws Exception {
        return new TomlMapper().readTree(toml);
    }

    private static ExecResult exited(int code, String stdout, String stderr) {
        return new ExecResult(code, false, false, stdout, stderr, stdout.length(), stderr.length());
    }

    private static CallFacts call(String kind, String thread, String subagent, String lastUser) {
        var headers = new HashMap<String, String>();
        headers.put(CallTable.THREAD_HEADER, thread);
        if (kind != null) {
            headers.put(CallTable.METADATA_HEADER, "{\"thread_id\":\"x\",\"request_kind\":\"" + kind + "\"}");
        }
        if (subagent != null) {
            headers.put(CallTable.SUBAGENT_HEADER, subagent);
        }
        return new CallFacts(
                null,
                0,
                ApiType.OPENAI_RESPONSES,
                headers,
                "You are a coding agent",
                lastUser,
                List.of("exec_command"),
                3,
                OptionalInt.empty(),
                true);
    }
}
