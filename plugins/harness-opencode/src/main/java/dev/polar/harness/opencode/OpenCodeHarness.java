package dev.polar.harness.opencode;

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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.pf4j.Extension;

/** {@code harness: opencode}. */
@Extension
public final class OpenCodeHarness implements Harness<OpenCodeSettings> {
    private static final String CONFIG = ".config/opencode/";
    private static final String DATA = "/.local/share/opencode/";

    private final String npm;

    public OpenCodeHarness() {
        this("npm");
    }

    OpenCodeHarness(String npm) {
        this.npm = npm;
    }

    @Override
    public Set<String> names() {
        return Set.of("opencode");
    }

    @Override
    public Class<OpenCodeSettings> settingsType() {
        return OpenCodeSettings.class;
    }

    /** Empty: {@code settings.api} says it. */
    @Override
    public Optional<ApiType> api() {
        return Optional.empty();
    }

    @Override
    public void setup(HarnessContext<OpenCodeSettings> context) throws InterruptedException {
        var program = AgentProgram.find(context, OpenCodeSettings.PACKAGE, npm);
        var version = program.version() == null
                ? context.settings().wantedVersion(OpenCodeSettings.PACKAGE)
                : program.version();
        var files = files(context);
        files.launcher(program, context.instruction())
                .homeJson(CONFIG + "opencode.json", Configuration.of(context))
                .homeJson(CONFIG + "package-lock.json", Configuration.lock(version))
                .homeJson(CONFIG + "node_modules/.package-lock.json", Configuration.lock(version))
                .upload();
        files.uploadSkills(files.home() + "/" + CONFIG + "skills");
    }

    private static SessionFiles files(HarnessContext<OpenCodeSettings> context) {
        return new SessionFiles(context, OpenCodeSettings.PACKAGE.harness());
    }

    @Override
    public List<ExecRequest> commands(HarnessContext<OpenCodeSettings> context) {
        var line = new ArrayList<>(List.of(
                "run",
                "--format",
                "json",
                "--model",
                Configuration.PROVIDER + "/" + context.endpoint().model()));
        if (!context.settings().title()) {
            line.addAll(List.of("--title", context.session().sessionId()));
        }
        return List.of(files(context).command(line).withEnv(environment(context)));
    }

    private static Map<String, String> environment(HarnessContext<OpenCodeSettings> context) {
        var env = new LinkedHashMap<String, String>();
        env.put(Configuration.KEY, context.endpoint().apiKey());
        for (var off : List.of("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE")) {
            env.put("OPENCODE_DISABLE_" + off, "1");
        }
        if (!context.settings().compaction()) {
            env.put("OPENCODE_DISABLE_AUTOCOMPACT", "1");
            env.put("OPENCODE_DISABLE_PRUNE", "1");
        }
        env.putAll(context.agent().env());
        return env;
    }

    /** Keeps the program's own log and its database, in which its sessions are. */
    @Override
    public AgentOutcome collect(HarnessContext<OpenCodeSettings> context, ExecResult run, CallSummary calls)
            throws InterruptedException {
        var files = files(context);
        var data = files.home() + DATA;
        for (var kept : List.of("log", "opencode.db", "opencode.db-wal")) {
            files.keep(data + kept);
        }
        return AgentOutcome.of(
                run, RunReport.of(run, context.settings(), files.program().version()), calls);
    }

    @Override
    public List<CallLabel> classify(List<CallFacts> calls) {
        return CallTable.labels(calls);
    }
}
