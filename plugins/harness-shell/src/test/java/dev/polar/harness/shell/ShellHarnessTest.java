package dev.polar.harness.shell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.spi.AgentSpec;
import dev.polar.spi.CustomShell;
import dev.polar.spi.ExecRequest;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.NoConfig;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ShellHarnessTest {
    private final ShellHarness harness = new ShellHarness();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fix it",
                "it's \"quoted\" `id` $(id) $HOME \\ \\' !",
                "line one\nline two\n",
                "-n --flag",
                "braces {{INSTRUCTION}} {} %s %",
                "",
                "ünï → 中"
            })
    void a_shell_gives_the_program_the_instruction_as_it_was(String instruction) throws Exception {
        var command = command("printf %s {{INSTRUCTION}}", instruction);

        assertThat(run(command)).isEqualTo(instruction);
    }

    @Test
    void the_instruction_may_stand_in_it_twice_or_not_at_all() throws Exception {
        assertThat(run(command("printf %s/%s {{INSTRUCTION}} {{INSTRUCTION}}", "a b")))
                .isEqualTo("a b/a b");
        assertThat(run(command("printf none", "a b"))).isEqualTo("none");
    }

    @Test
    void folder_and_environment_go_with_the_command() {
        var command = command("true", "x");

        assertThat(command.cwd()).isEqualTo("/polar/session/work");
        assertThat(command.env()).containsExactly(Map.entry("MODE", "fast"));
        assertThat(command.timeout()).isNull();
    }

    private ExecRequest command(String line, String instruction) {
        var shell = new CustomShell(line, "/polar/session/work", Map.of("MODE", "fast"));
        var agent = new AgentSpec("shell", null, null, null, null, null, null, shell, null);
        var context = new HarnessContext<>(
                null, agent, new NoConfig(), instruction, null, null, Map.of(), null, Duration.ofMinutes(1));
        var commands = harness.commands(context);
        assertThat(commands).hasSize(1);
        return commands.getFirst();
    }

    private static String run(ExecRequest command) throws Exception {
        var process = new ProcessBuilder(command.command()).start();
        var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return printed;
    }
}
