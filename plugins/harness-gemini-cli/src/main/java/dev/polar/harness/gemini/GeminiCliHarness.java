package dev.polar.harness.gemini;

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

/**
 * {@code harness: gemini_cli}.
 *
 * <p>The instruction goes in as a user's typing would: where it names a file that is there as {@code @path}, the agent itself adds the file's content to the first message.
 */
@Extension
public final class GeminiCliHarness implements Harness<GeminiCliSettings> {
    /** What the agent takes for its user's home; the session's own stays as it is. */
    private static final String HOME = "home";

    private static final String OWN_FOLDER = HOME + "/.gemini";

    private final String npm;

    public GeminiCliHarness() {
        this("npm");
    }

    GeminiCliHarness(String npm) {
        this.npm = npm;
    }

    @Override
    public Set<String> names() {
        return Set.of("gemini_cli");
    }

    @Override
    public Class<GeminiCliSettings> settingsType() {
        return GeminiCliSettings.class;
    }

    @Override
    public Optional<ApiType> api() {
        return Optional.of(ApiType.GOOGLE);
    }

    @Override
    public void setup(HarnessContext<GeminiCliSettings> context) throws InterruptedException {
        var program = AgentProgram.find(context, GeminiCliSettings.PACKAGE, npm);
        var files = files(context)
                .launcher(program, SessionFiles.withoutCommand(context.instruction()))
                .json(OWN_FOLDER + "/settings.json", UserSettings.of(context));
        files.upload();
        files.uploadSkills(OWN_FOLDER + "/skills");
    }

    private static SessionFiles files(HarnessContext<GeminiCliSettings> context) {
        return new SessionFiles(context, GeminiCliSettings.PACKAGE.harness());
    }

    @Override
    public List<ExecRequest> commands(HarnessContext<GeminiCliSettings> context) {
        // With a model named, it asks no other one which to take.
        var line = List.of(
                "--yolo",
                "--output-format",
                "stream-json",
                "--model",
                context.endpoint().model());
        return List.of(files(context).command(line).withEnv(environment(context)));
    }

    private static Map<String, String> environment(HarnessContext<GeminiCliSettings> context) {
        var endpoint = context.endpoint();
        var env = new LinkedHashMap<String, String>();
        env.put("GOOGLE_GEMINI_BASE_URL", endpoint.baseUrl().toString());
        env.put("GEMINI_API_KEY", endpoint.apiKey());
        env.put("GEMINI_CLI_HOME", files(context).path(HOME));
        // Without it, it refuses to work in a folder that nobody has said to trust.
        env.put("GEMINI_CLI_TRUST_WORKSPACE", "true");
        // Else it starts itself once more, to give itself half of the machine's memory.
        env.put("GEMINI_CLI_NO_RELAUNCH", "true");
        env.putAll(context.agent().env());
        return env;
    }

    /** Keeps the program's own transcripts with the session's artifacts. */
    @Override
    public AgentOutcome collect(HarnessContext<GeminiCliSettings> context, ExecResult run, CallSummary calls)
            throws InterruptedException {
        var files = files(context);
        files.keep(files.path(OWN_FOLDER + "/tmp"));
        var report =
                RunEvents.of(run).report(context.settings(), files.program().version());
        return AgentOutcome.of(run, report, calls);
    }

    @Override
    public List<CallLabel> classify(List<CallFacts> calls) {
        return CallTable.labels(calls);
    }
}
