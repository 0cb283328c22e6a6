package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** {@code polar harness check} of agents that keep their history, and of one that does not. */
@Isolated
class HarnessCheckIT {
    private final Path folder = KeptFolder.of(HarnessCheckIT.class);

    private PolarProcess.Finished check(String... arguments) throws Exception {
        var all = new ArrayList<>(List.of("harness", "check", "--dir", "files", "--json"));
        all.addAll(List.of(arguments));
        return PolarProcess.run(
                folder, Map.of("POLAR_AGENT_CACHE", AgentLab.agents().toString()), all.toArray(String[]::new));
    }

    @Test
    void a_teams_own_command_is_led_through_the_task() throws Exception {
        Needed.program("python3");
        var agent = Path.of(System.getProperty("polar.root"), "examples/calculator/agent.py");

        var checked = check("--upload", agent.toString(), "--command", "python3 $SESSION_DIR/agent.py {{INSTRUCTION}}");

        assertThat(checked.status()).as(checked.out() + checked.err()).isZero();
        var report = checked.json();
        assertThat(report.path("ending").asText()).isEqualTo("done");
        assertThat(report.at("/dialects/openai_chat").asInt()).isEqualTo(4);
        assertThat(report.at("/chain/held").asBoolean()).isTrue();
        assertThat(report.path("problems")).isEmpty();
    }

    @Test
    void what_breaks_a_chain_is_told() throws Exception {
        Needed.program("python3");
        var script = Files.writeString(folder.resolve("forgetful.py"), """
                import json, os, urllib.request
                for time in ("10:00", "10:05"):
                    body = {"model": "m", "messages": [{"role": "system", "content": "It is " + time + "."}, {"role": "user", "content": "hello"}]}
                    urllib.request.urlopen(urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(),
                        {"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "Content-Type": "application/json"})).read()
                """);
        var checked = check("--upload", script.toString(), "--command", "python3 $SESSION_DIR/forgetful.py");

        assertThat(checked.status()).as(checked.out() + checked.err()).isEqualTo(1);
        var broken = checked.json().at("/chain/breaks/0");
        assertThat(broken.path("call").asInt()).isEqualTo(2);
        assertThat(broken.path("what").asText())
                .startsWith("message 0 (system) of call 1 was changed")
                .contains("10:05");
    }

    @Test
    void an_agent_from_npm_is_installed_and_checked() throws Exception {
        Needed.agents();

        var checked = check("claude_code", "--streaming", "native");

        assertThat(checked.status()).as(checked.out() + checked.err()).isZero();
        var report = checked.json();
        assertThat(report.at("/dialects/anthropic").asInt())
                .isEqualTo(report.path("calls").asInt());
        assertThat(report.path("features").toString()).contains("context_management");
        assertThat(report.at("/headers/user-agent").asText()).contains("claude");
        assertThat(report.at("/chain/held").asBoolean()).isTrue();
    }

    @Test
    void a_harness_that_there_is_not_is_one_line_before_anything_is_started() throws Exception {
        var refused = check("nosuch");

        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err().lines())
                .singleElement()
                .asString()
                .contains("unknown harness 'nosuch'", "claude_code, codex", "--plugins");
        assertThat(folder.resolve("files")).doesNotExist();
    }

    @Test
    void what_is_to_be_uploaded_and_is_not_there_is_one_line() throws Exception {
        var refused = check("--upload", "nowhere.py", "--command", "true");

        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("--upload: there is no ", "nowhere.py");
    }

    @Test
    void a_command_without_the_shell_or_the_shell_without_a_command_is_one_line() throws Exception {
        var refused = check("claude_code", "--command", "true");

        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("--command goes with harness shell");
    }
}
