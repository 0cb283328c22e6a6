package dev.polar.harness.claude;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.harness.claude.ScriptedMessagesApi.Answer;
import dev.polar.harness.claude.ScriptedMessagesApi.Call;
import dev.polar.harness.support.NpmInstall;
import dev.polar.plugin.testing.HostRuntimeDouble;
import dev.polar.plugin.testing.Needed;
import dev.polar.spi.AgentOutcome;
import dev.polar.spi.AgentSpec;
import dev.polar.spi.ApiType;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.CallSummary;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.McpServer;
import dev.polar.spi.ModelEndpoint;
import dev.polar.spi.SessionInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The real program, installed from npm, against a scripted model. */
@Timeout(180)
final class RealClaudeCodeTest {
    /** Outlives the build's clean: the program is large. */
    private static final Path CACHE = Path.of(System.getProperty("user.home"), ".cache", "polar", "agents");

    @TempDir
    Path folder;

    private final ClaudeCodeHarness harness = new ClaudeCodeHarness();
    private ScriptedMessagesApi api;
    private HostRuntimeDouble runtime;

    @BeforeAll
    static void needsTheProgram() throws Exception {
        String problem = null;
        try {
            new NpmInstall(ClaudeCodeSettings.PACKAGE, CACHE.resolve("claude_code"), "npm")
                    .version(ClaudeCodeSettings.PACKAGE.pinned(), Duration.ofMinutes(3));
        } catch (RuntimeException unavailable) {
            problem = unavailable.getMessage();
        }
        Needed.program("claude_code", problem == null, problem);
    }

    @AfterEach
    void close() {
        if (api != null) {
            api.close();
        }
    }

    @Test
    void it_edits_a_file_through_a_tool_call_and_says_so() throws Exception {
        var outcome = run("Make the file.", RealClaudeCodeTest::writesFile, agent(List.of(), null), null);

        assertThat(outcome.succeeded()).as("%s", outcome).isTrue();
        assertThat(folder.resolve("session/workspace/made.txt")).hasContent("hello\n");
        assertThat(outcome.result())
                .containsEntry("status", "completed")
                .containsEntry("num_turns", 2)
                .containsEntry("result", "All done.")
                .containsEntry("version", ClaudeCodeSettings.PACKAGE.pinned())
                .doesNotContainKey("warnings");
        assertThat(api.calls()).hasSize(2).allSatisfy(call -> {
            assertThat(call.path()).isEqualTo("/s/token/v1/messages?beta=true");
            assertThat(call.headers()).containsEntry("x-api-key", "session-secret");
            assertThat(call.body().path("model").asText()).isEqualTo("test-model");
        });
        assertThat(harness.classify(facts())).containsOnly(CallLabel.MAIN);
        try (var kept = Files.walk(folder.resolve("session/artifacts/claude_code/projects"))) {
            assertThat(kept.filter(file -> file.toString().endsWith(".jsonl"))).isNotEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"-p looks like an option", "/testbed holds a repository", "it's \"quoted\" $HOME `x`\n two  \n"})
    void the_model_sees_the_instruction_whatever_it_begins_with(String instruction) throws Exception {
        run(instruction, call -> Answer.text("All done."), agent(List.of(), null), null);

        assertThat(api.calls().getFirst().prompt())
                .isEqualTo(instruction.startsWith("/") ? "\n" + instruction : instruction);
    }

    @Test
    void an_instruction_longer_than_a_command_line_may_be_arrives_whole() throws Exception {
        var instruction = "word ".repeat(60_000) + "end";
        run(instruction, call -> Answer.text("All done."), agent(List.of(), null), null);

        assertThat(api.calls().getFirst().prompt()).isEqualTo(instruction);
    }

    @Test
    void a_run_whose_calls_failed_is_no_success() throws Exception {
        var outcome = run("Go.", call -> Answer.error(400), agent(List.of(), null), null);

        assertThat(outcome.succeeded()).isFalse();
        assertThat(outcome.reason()).startsWith("the agent failed: API Error: 400");
        assertThat(outcome.result()).containsEntry("status", "error").containsEntry("api_error_status", 400);
    }

    @Test
    void a_subagents_calls_are_told_apart_by_their_header() throws Exception {
        run(
                "Delegate.",
                call -> {
                    if (call.headers().containsKey(CallTable.AGENT_HEADER)) {
                        return Answer.text("The sub-agent's answer.");
                    }
                    return call.hasToolResult()
                            ? Answer.text("All done.")
                            : Answer.tool(
                                    "toolu_1",
                                    "Agent",
                                    Map.of(
                                            "description",
                                            "look",
                                            "prompt",
                                            "Look around.",
                                            "subagent_type",
                                            "general-purpose"));
                },
                agent(List.of(), null),
                null);

        var labels = harness.classify(facts());
        assertThat(labels).extracting(CallLabel::role).contains("main", "subagent");
        assertThat(labels.stream().filter(label -> label.role().equals("subagent")))
                .allSatisfy(label -> assertThat(label.agent()).isNotBlank());
    }

    @Test
    void skills_and_tool_servers_reach_it() throws Exception {
        var skill = Files.createDirectories(folder.resolve("skills/counting"));
        Files.writeString(
                skill.resolve("SKILL.md"),
                "---\nname: counting\ndescription: Counts the frobnicated lines of a file\n---\nUse wc -l.\n");
        var broken = new McpServer("broken-tools", null, "no-such-program", List.of(), null);

        var outcome = run(
                "Go.",
                call -> Answer.text("All done."),
                agent(List.of(broken), folder.resolve("skills").toString()),
                null);

        assertThat(api.calls().getFirst().body().toString()).contains("Counts the frobnicated lines of a file");
        assertThat(outcome.succeeded()).isTrue();
        assertThat(outcome.result().get("warnings").toString()).contains("tool server 'broken-tools' was");
    }

    private static Answer writesFile(Call call) {
        return call.offers("Bash") && !call.hasToolResult()
                ? Answer.tool("toolu_1", "Bash", Map.of("command", "echo hello > made.txt", "description", "write"))
                : Answer.text("All done.");
    }

    private static AgentSpec agent(List<McpServer> servers, String skills) {
        return new AgentSpec("claude_code", null, "test-model", null, null, servers, skills, null, null);
    }

    private AgentOutcome run(String instruction, Function<Call, Answer> script, AgentSpec agent, String version)
            throws Exception {
        api = new ScriptedMessagesApi(script);
        // No claude of this machine's own may stand in for the pinned one.
        runtime = new HostRuntimeDouble(folder.resolve("session"), Map.of("PATH", "/usr/bin:/bin"));
        var settings = new ClaudeCodeSettings(version, null, 1, null, null, null, null, null);
        var context = new HarnessContext<>(
                new SessionInfo("session", "task", "node", Map.of()),
                agent,
                settings,
                instruction,
                runtime,
                new ModelEndpoint(api.url(), "session-secret", "test-model"),
                Map.of(),
                CACHE,
                Duration.ofMinutes(3));
        harness.setup(context);
        var commands = harness.commands(context);
        assertThat(commands).hasSize(1);
        assertThat(commands.getFirst().command()).noneMatch(word -> word.contains("session-secret"));
        var ended = runtime.exec(commands.getFirst());
        // In the server this comes from its record; here it is as if all were answered, to see what the program itself
        // says.
        return harness.collect(context, ended, new CallSummary(1, 0, CallSummary.Call.answered("stop")));
    }

    private List<CallFacts> facts() {
        var facts = new ArrayList<CallFacts>();
        for (var call : api.calls()) {
            var tools = new ArrayList<String>();
            call.body()
                    .path("tools")
                    .forEach(tool -> tools.add(tool.path("name").asText()));
            var messages = call.body().path("messages");
            facts.add(new CallFacts(
                    "c" + facts.size(),
                    facts.size(),
                    ApiType.ANTHROPIC,
                    call.headers(),
                    call.body().path("system").toString(),
                    messages.get(messages.size() - 1).path("content").toString(),
                    tools,
                    messages.size(),
                    OptionalInt.of(call.body().path("max_tokens").asInt()),
                    call.body().path("stream").asBoolean()));
        }
        return facts;
    }
}
