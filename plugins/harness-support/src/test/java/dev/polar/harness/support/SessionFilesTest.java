package dev.polar.harness.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.plugin.testing.AgentFolder;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.McpServer;
import dev.polar.spi.Runtime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SessionFilesTest {
    private static final String PROMPT = "-p it's \"quoted\" $HOME `x`\n two  \n\n";

    @TempDir
    Path folder;

    @Test
    void the_prompt_reaches_the_program_byte_for_byte_beside_its_arguments() throws Exception {
        var program = AgentFolder.script(folder.resolve("it's a program"), "printf '%s|' \"$@\"; cat");
        var context = Contexts.context(folder, null, Install.AUTO);
        var files =
                new SessionFiles(context, "an_agent").launcher(new AgentProgram(program.toString(), "1.2.3"), PROMPT);
        files.upload();

        var run = context.runtime().exec(files.command(List.of("--flag", "a b")));

        assertThat(run.stdout()).isEqualTo("--flag|a b|" + PROMPT);
        assertThat(new SessionFiles(context, "an_agent").program())
                .isEqualTo(new AgentProgram(program.toString(), "1.2.3"));
    }

    @Test
    void files_land_in_the_sessions_folder_and_in_its_home() throws Exception {
        var context = Contexts.context(folder, null, Install.AUTO);
        new SessionFiles(context, "an_agent")
                .json("config/settings.json", Map.of("a", 1))
                .homeText(".agent/rc", "here\n")
                .upload();

        assertThat(folder.resolve("session/an_agent/config/settings.json"))
                .content()
                .contains("\"a\" : 1");
        assertThat(folder.resolve("session/home/.agent/rc")).hasContent("here\n");
    }

    @Test
    void a_folder_of_skills_and_a_skill_alone_are_both_taken() throws Exception {
        var skill = Files.createDirectories(folder.resolve("skills/counting"));
        Files.writeString(skill.resolve("SKILL.md"), "# counting");
        for (var given : List.of(folder.resolve("skills"), skill)) {
            new SessionFiles(Contexts.context(folder, Contexts.settings(null), given), "an_agent")
                    .uploadSkills("skills");
            assertThat(folder.resolve("session/an_agent/skills/counting/SKILL.md"))
                    .exists();
            Trees.delete(folder.resolve("session/an_agent"));
        }
        assertThatThrownBy(() -> new SessionFiles(
                                Contexts.context(folder, Contexts.settings(null), folder.resolve("none")), "an_agent")
                        .uploadSkills("skills"))
                .isInstanceOf(ExtensionException.class)
                .hasMessageContaining("is no folder on this node");
    }

    @Test
    void what_the_agent_left_is_kept_and_what_it_did_not_leave_is_no_error() throws Exception {
        HarnessContext<Contexts.Settings> context = Contexts.context(folder, null, Install.AUTO);
        var files = new SessionFiles(context, "an_agent").text("log/a.jsonl", "{}");
        files.upload();
        files.keep(files.path("log"));
        files.keep(files.path("nothing"));

        assertThat(folder.resolve("session/artifacts/an_agent/log/a.jsonl")).exists();
    }

    @Test
    void a_tool_servers_paths_in_the_session_are_spelled_for_its_processes() throws Exception {
        var runtime = Contexts.context(folder, null, Install.AUTO).runtime();
        var servers = ToolServers.byName(
                List.of(new McpServer(
                        "local", null, "python3", List.of(Runtime.SESSION_DIR + "/tools.py", "--x"), null)),
                runtime,
                new ToolServers.Words() {
                    @Override
                    public Map<String, Object> stdio(String command, List<String> arguments) {
                        return Map.of("command", command, "args", arguments);
                    }

                    @Override
                    public Map<String, Object> sse(String url) {
                        throw new AssertionError("asked for none");
                    }

                    @Override
                    public Map<String, Object> streamableHttp(String url) {
                        throw new AssertionError("asked for none");
                    }
                });

        assertThat(servers)
                .containsEntry(
                        "local",
                        Map.of(
                                "command",
                                "python3",
                                "args",
                                List.of(folder.resolve("session/tools.py").toString(), "--x")));
    }

    @Test
    void events_are_the_lines_that_are_json_objects() {
        var stdout = "noise\n{\"type\":\"a\",\"n\":1,\"o\":{}}\n{\"type\":\"b\n[12 bytes were left out here]\n\"}\n"
                + "{\"type\":\"c\"}\n";
        var types = new ArrayList<String>();
        var run = new ExecResult(0, false, false, stdout, "", stdout.length(), 0);
        EventLog.read(run, event -> types.add(event.path("type").asText()));

        assertThat(types).containsExactly("a", "c");
        assertThat(EventLog.lastLine(run)).isEqualTo("{\"type\":\"c\"}");
        EventLog.read(run, event -> {
            if (event.has("n")) {
                assertThat(EventLog.scalars(event, "n", "o", "x")).isEqualTo(Map.of("n", 1));
            }
        });
    }
}
