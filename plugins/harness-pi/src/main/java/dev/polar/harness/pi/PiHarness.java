package dev.polar.harness.pi;

import dev.polar.harness.support.AgentProgram;
import dev.polar.harness.support.SessionFiles;
import dev.polar.spi.AgentOutcome;
import dev.polar.spi.ApiType;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.CallSummary;
import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.Harness;
import dev.polar.spi.HarnessContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.pf4j.Extension;

/** {@code harness: pi}. */
@Extension
public final class PiHarness implements Harness<PiSettings> {
    /** The program's own folder. */
    private static final String HOME = "config";

    private static final String LOGS = "sessions";

    private final String npm;

    public PiHarness() {
        this("npm");
    }

    PiHarness(String npm) {
        this.npm = npm;
    }

    @Override
    public Set<String> names() {
        return Set.of("pi");
    }

    @Override
    public Class<PiSettings> settingsType() {
        return PiSettings.class;
    }

    /** {@code settings.api} says it. */
    @Override
    public Optional<ApiType> api() {
        return Optional.empty();
    }

    @Override
    public void setup(HarnessContext<PiSettings> context) throws InterruptedException {
        if (!context.agent().mcpServers().isEmpty()) {
            throw new ExtensionException(
                    Category.REQUEST,
                    "agent.mcp_servers: pi takes no tool servers, so '"
                            + context.agent().mcpServers().getFirst().name()
                            + "' cannot be used: leave them out, or give it a command line tool and a skill that tells of it");
        }
        var program = AgentProgram.find(context, PiSettings.PACKAGE, npm);
        var files = files(context);
        files.launcher(program, context.instruction());
        files.json(HOME + "/models.json", Configuration.models(context));
        files.json(HOME + "/settings.json", Configuration.settings(context.settings()));
        files.upload();
        files.uploadSkills(HOME + "/skills");
    }

    private static SessionFiles files(HarnessContext<PiSettings> context) {
        return new SessionFiles(context, PiSettings.PACKAGE.harness());
    }

    @Override
    public List<ExecRequest> commands(HarnessContext<PiSettings> context) {
        var files = files(context);
        var line = List.of(
                "-p",
                "--mode",
                "json",
                "--provider",
                Configuration.PROVIDER,
                "--model",
                context.endpoint().model(),
                "--thinking",
                context.settings().thinking(),
                "--session-dir",
                files.path(LOGS));
        Map<String, String> env = new LinkedHashMap<>();
        env.put("PI_CODING_AGENT_DIR", files.path(HOME));
        env.put(Configuration.KEY, context.endpoint().apiKey());
        env.put("PI_OFFLINE", "1");
        env.put("PI_TELEMETRY", "0");
        env.put("PI_SKIP_VERSION_CHECK", "1");
        env.putAll(context.agent().env());
        return List.of(files.command(line).withEnv(env));
    }

    /** Keeps the program's own log of the conversation with the session's artifacts. */
    @Override
    public AgentOutcome collect(HarnessContext<PiSettings> context, ExecResult run, CallSummary calls)
            throws InterruptedException {
        var files = files(context);
        files.keep(files.path(LOGS));
        var report =
                RunReport.of(run).report(context.settings(), files.program().version());
        return AgentOutcome.of(run, report, calls);
    }

    @Override
    public List<CallLabel> classify(List<CallFacts> calls) {
        return CallTable.labels(calls);
    }
}
