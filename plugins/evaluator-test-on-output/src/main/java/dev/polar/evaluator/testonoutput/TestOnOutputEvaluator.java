package dev.polar.evaluator.testonoutput;

import dev.polar.spi.Evaluation;
import dev.polar.spi.EvaluationContext;
import dev.polar.spi.Evaluator;
import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.Runtime;
import dev.polar.spi.Trajectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.pf4j.Extension;

/** {@code strategy: test_on_output}. */
@Extension
public final class TestOnOutputEvaluator implements Evaluator<TestOnOutputConfig> {
    private static final long MAX_OUTPUT_BYTES = 64L << 20;
    private static final int SHOWN_CHARACTERS = 4_000;

    /** A shell's exit codes for a command that it could not run. */
    private static final Set<Integer> NOT_RUN = Set.of(126, 127);

    @Override
    public Set<String> names() {
        return Set.of("test_on_output");
    }

    @Override
    public Class<TestOnOutputConfig> configType() {
        return TestOnOutputConfig.class;
    }

    /** The tree's id, unless the task brings a command of its own that tells the changes. */
    @Override
    public Optional<Object> baseline(EvaluationContext<TestOnOutputConfig> context) throws InterruptedException {
        var config = context.config();
        return config.patchCommand() == null
                ? Optional.of(TreeDiff.before(context.agentRuntime(), config.repoDir()))
                : Optional.empty();
    }

    @Override
    public Evaluation evaluate(
            EvaluationContext<TestOnOutputConfig> context, Trajectory trajectory, Optional<Object> baseline)
            throws InterruptedException {
        var config = context.config();
        var report = new Report(config.expected());
        if (!TreeDiff.exists(context.agentRuntime(), config.repoDir())) {
            report.error("the agent removed " + config.repoDir());
            return report.evaluation();
        }
        var patch = patch(context, baseline);
        report.patchPath = save(patch, context.artifactsDir());
        report.emptyGeneration = patch.isEmpty();
        if (patch.isEmpty()) {
            return report.evaluation();
        }
        var runtime = context.runtime().get();
        report.mode = runtime == context.agentRuntime() ? "live_runtime" : "refresh_runtime";
        if (runtime != context.agentRuntime()) {
            var applied = TreeDiff.apply(runtime, config.repoDir(), report.patchPath, seconds(config.applyTimeout()));
            if (!applied.succeeded()) {
                report.notApplied(applied);
                return report.evaluation();
            }
        }
        report.tested(test(context, runtime));
        return report.evaluation();
    }

    private static Patch patch(EvaluationContext<TestOnOutputConfig> context, Optional<Object> baseline)
            throws InterruptedException {
        var config = context.config();
        var runtime = context.agentRuntime();
        Patch whole;
        if (config.patchCommand() != null) {
            whole = TreeDiff.printed(runtime, config.repoDir(), config.patchCommand(), context.scratchDir());
        } else {
            var tree = baseline.orElseThrow(() -> new ExtensionException(
                    Category.REQUEST,
                    "test_on_output: the tree before the run is not known; set evaluator.config.patch_command"));
            whole = TreeDiff.since(runtime, config.repoDir(), tree.toString(), context.scratchDir());
        }
        return whole.without(
                Stream.concat(TestOnOutputConfig.ALWAYS_EXCLUDED.stream(), config.excludePatterns().stream())
                        .map(Glob::of)
                        .toList());
    }

    private static ExecResult test(EvaluationContext<TestOnOutputConfig> context, Runtime runtime)
            throws InterruptedException {
        var config = context.config();
        var output = context.artifactsDir().resolve("test_output.txt");
        return runtime.exec(
                ExecRequest.of("/bin/sh", "-c", Shells.BEST + "exec \"$shell\" -c \"$1\"", "sh", config.testCommand())
                        .withCwd(config.repoDir())
                        .withEnv(context.env())
                        .withTimeout(seconds(config.testTimeout()))
                        .withOutputFiles(output, output)
                        .withMaxOutputBytes(MAX_OUTPUT_BYTES));
    }

    private static Path save(Patch patch, Path artifacts) {
        try {
            Files.createDirectories(artifacts);
            return Files.write(artifacts.resolve("agent.patch"), patch.bytes());
        } catch (IOException problem) {
            throw new ExtensionException(
                    Category.INFRASTRUCTURE,
                    "the agent's patch cannot be kept in " + artifacts + ": " + problem,
                    problem);
        }
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    /** What is found out, step by step. */
    private static final class Report {
        private final Map<String, String> expected;
        private Map<String, String> parsed = Map.of();
        private String mode;
        private Path patchPath;
        private String note;
        private boolean emptyGeneration;
        private boolean failedApply;
        private boolean error;
        private boolean timeout;
        private Integer exitCode;

        Report(Map<String, String> expected) {
            this.expected = expected;
        }

        void error(String why) {
            error = true;
            note = why;
        }

        void notApplied(ExecResult applied) {
            failedApply = true;
            note = shortened(applied.timedOut() ? "git apply timed out" : applied.stderr());
        }

        void tested(ExecResult test) {
            parsed = TestOutput.parse(test.stdout(), test.stderr());
            timeout = test.timedOut();
            exitCode = test.exitCode();
            if (NOT_RUN.contains(test.exitCode()) && parsed.isEmpty()) {
                error("the test command cannot be run: " + shortened(test.stderr()));
            }
        }

        Evaluation evaluation() {
            boolean resolved = !timeout && !error && !parsed.isEmpty() && parsed.equals(expected);
            var report = new LinkedHashMap<String, Object>();
            report.put("empty_generation", emptyGeneration);
            report.put("resolved", resolved);
            report.put("failed_apply_patch", failedApply);
            report.put("error_eval", error);
            report.put("test_timeout", timeout);
            report.put("no_evidence", exitCode != null && parsed.isEmpty());
            report.put("exit_code", exitCode);
            report.put("parsed_tests", parsed);
            report.put("expected_tests", expected);
            var details = new LinkedHashMap<String, Object>();
            details.put("report", report);
            details.put("patch_path", patchPath == null ? null : patchPath.toString());
            details.put("mode", mode);
            if (note != null) {
                details.put("note", note);
            }
            return new Evaluation(resolved ? 1.0 : 0.0, null, details);
        }

        private static String shortened(String text) {
            var said = text.strip();
            return said.length() <= SHOWN_CHARACTERS ? said : said.substring(0, SHOWN_CHARACTERS) + "…";
        }
    }
}
