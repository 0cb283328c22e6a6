package dev.polar.harness.claude;

import dev.polar.spi.AgentOutcome;
import dev.polar.spi.ApiType;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.Harness;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.Runtime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.pf4j.Extension;

/** {@code harness: claude_code}. */
@Extension
public final class ClaudeCodeHarness implements Harness<ClaudeCodeSettings> {
    /** Where the program goes in a runtime that does not see the node's files. */
    private static final String UPLOADED = Runtime.SESSION_DIR + "/claude_code_program";

    private final String npm;

    public ClaudeCodeHarness() {
        this("npm");
    }

    ClaudeCodeHarness(String npm) {
        this.npm = npm;
    }

    @Override
    public Set<String> names() {
        return Set.of("claude_code");
    }

    @Override
    public Class<ClaudeCodeSettings> settingsType() {
        return ClaudeCodeSettings.class;
    }

    @Override
    public Optional<ApiType> api() {
        return Optional.of(ApiType.ANTHROPIC);
    }

    @Override
    public void setup(HarnessContext<ClaudeCodeSettings> context) throws InterruptedException {
        SessionFiles.write(context, program(context));
    }

    /** How the session's processes call the program. */
    private String program(HarnessContext<ClaudeCodeSettings> context) throws InterruptedException {
        var runtime = context.runtime();
        var found = runtime.exec(ExecRequest.shell("command -v claude").withEnv(context.env()));
        if (found.succeeded() && found.stdout().startsWith("/")) {
            return found.stdout().strip();
        }
        var settings = context.settings();
        if (settings.install() == ClaudeCodeSettings.Install.NEVER) {
            throw new ExtensionException(
                    Category.REQUEST,
                    "claude_code: there is no claude on the runtime's path, and agent.settings.install is never:"
                            + " install it in runtime.prepare, or set agent.settings.install to auto");
        }
        var home = new NpmInstall(context.cacheDir().resolve("claude_code"), npm)
                .version(settings.wantedVersion(), context.remaining());
        var program = NpmInstall.program(home);
        if (runtime.exec(ExecRequest.of("test", "-x", program.toString())).succeeded()) {
            return program.toString();
        }
        runtime.upload(home, UPLOADED);
        return runtime.path(UPLOADED) + "/" + home.relativize(program);
    }

    @Override
    public List<ExecRequest> commands(HarnessContext<ClaudeCodeSettings> context) {
        var runtime = context.runtime();
        var line = new ArrayList<>(List.of(
                "/bin/sh",
                runtime.path(SessionFiles.LAUNCHER),
                "-p",
                "--output-format",
                "stream-json",
                "--verbose",
                "--dangerously-skip-permissions",
                "--model",
                context.endpoint().model()));
        if (!context.agent().mcpServers().isEmpty()) {
            line.addAll(List.of("--strict-mcp-config", "--mcp-config", runtime.path(SessionFiles.MCP)));
        }
        if (!context.settings().disallowedTools().isEmpty()) {
            line.add("--disallowedTools");
            line.add(String.join(",", context.settings().disallowedTools()));
        }
        return List.of(ExecRequest.of(line.toArray(String[]::new)).withEnv(environment(context)));
    }

    private static Map<String, String> environment(HarnessContext<ClaudeCodeSettings> context) {
        var endpoint = context.endpoint();
        var settings = context.settings();
        var env = new LinkedHashMap<String, String>();
        env.put("ANTHROPIC_BASE_URL", endpoint.baseUrl().toString());
        env.put("ANTHROPIC_API_KEY", endpoint.apiKey());
        for (var name : List.of(
                "ANTHROPIC_MODEL",
                "ANTHROPIC_SMALL_FAST_MODEL",
                "ANTHROPIC_DEFAULT_SONNET_MODEL",
                "ANTHROPIC_DEFAULT_OPUS_MODEL",
                "ANTHROPIC_DEFAULT_HAIKU_MODEL",
                "CLAUDE_CODE_SUBAGENT_MODEL")) {
            env.put(name, endpoint.model());
        }
        env.put("CLAUDE_CONFIG_DIR", context.runtime().path(SessionFiles.CONFIG));
        // Without it the program refuses to skip permissions as root.
        env.put("IS_SANDBOX", "1");
        env.put("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        env.put("DISABLE_AUTOUPDATER", "1");
        env.put("DISABLE_TELEMETRY", "1");
        env.put("DISABLE_ERROR_REPORTING", "1");
        env.put("CLAUDE_CODE_MAX_RETRIES", settings.maxRetries().toString());
        env.put("API_TIMEOUT_MS", settings.apiTimeoutMs().toString());
        if (settings.maxOutputTokens() != null) {
            env.put("CLAUDE_CODE_MAX_OUTPUT_TOKENS", settings.maxOutputTokens().toString());
        }
        env.putAll(context.agent().env());
        return env;
    }

    /** Keeps the program's own transcripts with the session's artifacts. */
    @Override
    public AgentOutcome collect(HarnessContext<ClaudeCodeSettings> context, ExecResult run)
            throws InterruptedException {
        var runtime = context.runtime();
        runtime.exec(ExecRequest.of(
                        "/bin/sh",
                        "-c",
                        "[ -d \"$1/projects\" ] && mkdir -p \"$2\" && cp -R \"$1/projects\" \"$2/\"",
                        "sh",
                        runtime.path(SessionFiles.CONFIG),
                        runtime.path(Runtime.SESSION_DIR + "/artifacts/claude_code"))
                .withEnv(context.env()));
        return RunReport.of(run).outcome(context.settings());
    }

    @Override
    public List<CallLabel> classify(List<CallFacts> calls) {
        return CallTable.labels(calls);
    }
}
