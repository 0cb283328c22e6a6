package dev.polar.harness.shell;

import dev.polar.spi.AgentOutcome;
import dev.polar.spi.ApiType;
import dev.polar.spi.CallSummary;
import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.Harness;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.NoConfig;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pf4j.Extension;

/** {@code harness: shell}: runs {@code agent.custom_shell} with a POSIX shell. */
@Extension
public final class ShellHarness implements Harness<NoConfig> {
    private static final String INSTRUCTION = "{{INSTRUCTION}}";

    @Override
    public Set<String> names() {
        return Set.of("shell");
    }

    @Override
    public Class<NoConfig> settingsType() {
        return NoConfig.class;
    }

    @Override
    public Optional<ApiType> api() {
        return Optional.empty();
    }

    @Override
    public List<ExecRequest> commands(HarnessContext<NoConfig> context) {
        var shell = context.agent().customShell();
        var line = shell.command().replace(INSTRUCTION, quoted(context.instruction()));
        return List.of(ExecRequest.shell(line).withCwd(shell.cwd()).withEnv(shell.env()));
    }

    /** A team's own command: its exit status decides whether it succeeded, whatever became of its calls; the ending says that. */
    @Override
    public AgentOutcome collect(HarnessContext<NoConfig> context, ExecResult run, CallSummary calls) {
        return AgentOutcome.ofExit(run, calls);
    }

    /** One word of a POSIX shell, whatever stands in {@code text}. */
    static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
