package dev.polar.harness.codex;

import dev.polar.harness.support.AgentProgram;
import dev.polar.harness.support.SessionFiles;
import dev.polar.spi.AgentOutcome;
import dev.polar.spi.ApiType;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.CallSummary;
import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.Harness;
import dev.polar.spi.HarnessContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.pf4j.Extension;

/** {@code harness: codex}. */
@Extension
public final class CodexHarness implements Harness<CodexSettings> {
    /** The program's own folder. */
    private static final String HOME = "config";

    private final String npm;

    public CodexHarness() {
        this("npm");
    }

    CodexHarness(String npm) {
        this.npm = npm;
    }

    @Override
    public Set<String> names() {
        return Set.of("codex");
    }

    @Override
    public Class<CodexSettings> settingsType() {
        return CodexSettings.class;
    }

    @Override
    public Optional<ApiType> api() {
        return Optional.of(ApiType.OPENAI_RESPONSES);
    }

    @Override
    public void setup(HarnessContext<CodexSettings> context) throws InterruptedException {
        var config = Configuration.toml(context);
        var program = AgentProgram.find(context, CodexSettings.PACKAGE, npm);
        var files = files(context);
        files.launcher(program, context.instruction());
        files.text(HOME + "/config.toml", config);
        files.upload();
        files.uploadSkills(HOME + "/skills");
    }

    private static SessionFiles files(HarnessContext<CodexSettings> context) {
        return new SessionFiles(context, CodexSettings.PACKAGE.harness());
    }

    @Override
    public List<ExecRequest> commands(HarnessContext<CodexSettings> context) {
        var files = files(context);
        var line = List.of(
                "exec",
                "--json",
                "--skip-git-repo-check",
                "--dangerously-bypass-approvals-and-sandbox",
                "-m",
                context.endpoint().model(),
                "-");
        Map<String, String> env = new LinkedHashMap<>();
        env.put("CODEX_HOME", files.path(HOME));
        env.put(Configuration.KEY, context.endpoint().apiKey());
        env.putAll(context.agent().env());
        return List.of(files.command(line).withEnv(env));
    }

    /** Keeps the program's own logs of the conversation, one for each of its agents, with the session's artifacts. */
    @Override
    public AgentOutcome collect(HarnessContext<CodexSettings> context, ExecResult run, CallSummary calls)
            throws InterruptedException {
        var files = files(context);
        files.keep(files.path(HOME + "/sessions"));
        var report =
                RunReport.of(run).report(context.settings(), files.program().version());
        return AgentOutcome.of(run, report, calls);
    }

    @Override
    public List<CallLabel> classify(List<CallFacts> calls) {
        return CallTable.labels(calls);
    }
}
