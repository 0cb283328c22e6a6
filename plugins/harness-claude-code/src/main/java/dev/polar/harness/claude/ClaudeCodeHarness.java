package dev.polar.harness.claude;

import dev.polar.harness.support.AgentProgram;
import dev.polar.harness.support.SessionFiles;
import dev.polar.harness.support.ToolServers;
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

/** {@code harness: claude_code}. */
@Extension
public final class ClaudeCodeHarness implements Harness<ClaudeCodeSettings> {
    private static final String CONFIG = "config";
    private static final String MCP = "mcp.json";

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
        var program = AgentProgram.find(context, ClaudeCodeSettings.PACKAGE, npm);
        var files = files(context).launcher(program, SessionFiles.withoutCommand(context.instruction()));
        var servers = context.agent().mcpServers();
        if (!servers.isEmpty()) {
            files.json(MCP, Map.of("mcpServers", ToolServers.byName(servers, context.runtime(), ServerWords.WORDS)));
        }
        files.upload();
        files.uploadSkills(CONFIG + "/skills");
    }

    private static SessionFiles files(HarnessContext<ClaudeCodeSettings> context) {
        return new SessionFiles(context, ClaudeCodeSettings.PACKAGE.harness());
    }

    @Override
    public List<ExecRequest> commands(HarnessContext<ClaudeCodeSettings> context) {
        var files = files(context);
        var line = new ArrayList<>(List.of(
                "-p",
                "--output-format",
                "stream-json",
                "--verbose",
                "--dangerously-skip-permissions",
                "--model",
                context.endpoint().model()));
        if (!context.agent().mcpServers().isEmpty()) {
            line.addAll(List.of("--strict-mcp-config", "--mcp-config", files.path(MCP)));
        }
        if (!context.settings().disallowedTools().isEmpty()) {
            line.add("--disallowedTools");
            line.add(String.join(",", context.settings().disallowedTools()));
        }
        return List.of(files.command(line).withEnv(environment(context)));
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
        env.put("CLAUDE_CONFIG_DIR", files(context).path(CONFIG));
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
    public AgentOutcome collect(HarnessContext<ClaudeCodeSettings> context, ExecResult run, CallSummary calls)
            throws InterruptedException {
        files(context).keep(files(context).path(CONFIG + "/projects"));
        return AgentOutcome.of(run, RunReport.of(run).report(context.settings()), calls);
    }

    @Override
    public List<CallLabel> classify(List<CallFacts> calls) {
        return CallTable.labels(calls);
    }
}
