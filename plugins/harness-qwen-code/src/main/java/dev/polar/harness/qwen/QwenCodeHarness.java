package dev.polar.harness.qwen;

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

/** {@code harness: qwen_code}. */
@Extension
public final class QwenCodeHarness implements Harness<QwenCodeSettings> {
    private static final String CONFIG = "config";

    private final String npm;

    public QwenCodeHarness() {
        this("npm");
    }

    QwenCodeHarness(String npm) {
        this.npm = npm;
    }

    @Override
    public Set<String> names() {
        return Set.of("qwen_code");
    }

    @Override
    public Class<QwenCodeSettings> settingsType() {
        return QwenCodeSettings.class;
    }

    @Override
    public Optional<ApiType> api() {
        return Optional.of(ApiType.OPENAI_CHAT);
    }

    @Override
    public void setup(HarnessContext<QwenCodeSettings> context) throws InterruptedException {
        var program = AgentProgram.find(context, QwenCodeSettings.PACKAGE, npm);
        var files = files(context);
        files.launcher(program, SessionFiles.withoutCommand(context.instruction()))
                .json(CONFIG + "/settings.json", configuration(context))
                .upload();
        files.uploadSkills(CONFIG + "/skills");
    }

    private static SessionFiles files(HarnessContext<QwenCodeSettings> context) {
        return new SessionFiles(context, QwenCodeSettings.PACKAGE.harness());
    }

    /** What {@code settings.json} of version 0.24.4 takes. */
    private static Map<String, Object> configuration(HarnessContext<QwenCodeSettings> context) {
        var settings = context.settings();
        var generation = new LinkedHashMap<String, Object>();
        generation.put("maxRetries", settings.maxRetries());
        if (settings.contextWindow() != null) {
            generation.put("contextWindowSize", settings.contextWindow());
        }
        var configuration = new LinkedHashMap<String, Object>();
        configuration.put("general", Map.of("enableAutoUpdate", false));
        configuration.put("privacy", Map.of("usageStatisticsEnabled", false));
        configuration.put("telemetry", Map.of("enabled", false));
        configuration.put(
                "memory",
                Map.of("enableManagedAutoMemory", settings.memory(), "enableManagedAutoDream", settings.memory()));
        configuration.put("model", Map.of("generationConfig", generation));
        configuration.put(
                "mcpServers", ToolServers.byName(context.agent().mcpServers(), context.runtime(), ServerWords.WORDS));
        return configuration;
    }

    @Override
    public List<ExecRequest> commands(HarnessContext<QwenCodeSettings> context) {
        var settings = context.settings();
        var line = new ArrayList<>(List.of(
                "--yolo",
                "--auth-type",
                "openai",
                "--output-format",
                "stream-json",
                "--model",
                context.endpoint().model()));
        if (settings.maxTurns() != null) {
            line.addAll(List.of("--max-session-turns", settings.maxTurns().toString()));
        }
        if (!settings.excludedTools().isEmpty()) {
            line.addAll(List.of("--exclude-tools", String.join(",", settings.excludedTools())));
        }
        return List.of(files(context).command(line).withEnv(environment(context)));
    }

    private static Map<String, String> environment(HarnessContext<QwenCodeSettings> context) {
        var endpoint = context.endpoint();
        var settings = context.settings();
        var env = new LinkedHashMap<String, String>();
        env.put("OPENAI_BASE_URL", endpoint.openAiBaseUrl());
        env.put("OPENAI_API_KEY", endpoint.apiKey());
        env.put("OPENAI_MODEL", endpoint.model());
        env.put("QWEN_HOME", files(context).path(CONFIG));
        // It is in a sandbox; the program cannot know.
        env.put("QWEN_CODE_SUPPRESS_YOLO_WARNING", "1");
        if (settings.maxOutputTokens() != null) {
            env.put("QWEN_CODE_MAX_OUTPUT_TOKENS", settings.maxOutputTokens().toString());
        }
        env.putAll(context.agent().env());
        return env;
    }

    /** Keeps the program's own transcripts, its sub-agents' too, and its count of tokens. */
    @Override
    public AgentOutcome collect(HarnessContext<QwenCodeSettings> context, ExecResult run, CallSummary calls)
            throws InterruptedException {
        var files = files(context);
        files.keep(files.path(CONFIG + "/projects"));
        files.keep(files.path(CONFIG + "/usage_record.jsonl"));
        return AgentOutcome.of(run, RunReport.of(run, context.settings()), calls);
    }

    @Override
    public List<CallLabel> classify(List<CallFacts> calls) {
        return CallTable.labels(calls);
    }
}
