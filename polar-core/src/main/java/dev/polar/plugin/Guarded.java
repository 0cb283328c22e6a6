package dev.polar.plugin;

import dev.polar.spi.AgentOutcome;
import dev.polar.spi.ApiType;
import dev.polar.spi.BuiltTrajectory;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.CallSummary;
import dev.polar.spi.EngineProfile;
import dev.polar.spi.Evaluation;
import dev.polar.spi.EvaluationContext;
import dev.polar.spi.Evaluator;
import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.Harness;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.InferenceEngine;
import dev.polar.spi.Runtime;
import dev.polar.spi.RuntimeFeature;
import dev.polar.spi.RuntimeProvider;
import dev.polar.spi.RuntimeRequest;
import dev.polar.spi.SessionRecord;
import dev.polar.spi.Trajectory;
import dev.polar.spi.TrajectoryBuilder;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pf4j.ExtensionPoint;

/** The extension points once more, each call made in the plugin's class loader. */
final class Guarded {
    private Guarded() {}

    /** {@code extension} so that each of its methods runs in {@code loader}. */
    static ExtensionPoint of(Kind kind, ExtensionPoint extension, ClassLoader loader) {
        return switch (kind) {
            case HARNESS -> new GuardedHarness<>((Harness<?>) extension, loader);
            case RUNTIME -> new GuardedProvider((RuntimeProvider) extension, loader);
            case EVALUATOR -> new GuardedEvaluator<>((Evaluator<?>) extension, loader);
            case BUILDER -> new GuardedBuilder<>((TrajectoryBuilder<?>) extension, loader);
            case ENGINE -> new GuardedEngine((InferenceEngine) extension, loader);
        };
    }

    private record GuardedHarness<S extends Record>(Harness<S> harness, ClassLoader loader) implements Harness<S> {
        @Override
        public Set<String> names() {
            return InPlugin.get(loader, harness::names);
        }

        @Override
        public Class<S> settingsType() {
            return InPlugin.get(loader, harness::settingsType);
        }

        @Override
        public Optional<ApiType> api() {
            return InPlugin.get(loader, harness::api);
        }

        @Override
        public void setup(HarnessContext<S> context) throws InterruptedException {
            InPlugin.step(loader, () -> harness.setup(context));
        }

        @Override
        public List<ExecRequest> commands(HarnessContext<S> context) throws InterruptedException {
            return InPlugin.call(loader, () -> harness.commands(context));
        }

        @Override
        public AgentOutcome collect(HarnessContext<S> context, ExecResult run, CallSummary calls)
                throws InterruptedException {
            return InPlugin.call(loader, () -> harness.collect(context, run, calls));
        }

        @Override
        public List<CallLabel> classify(List<CallFacts> calls) {
            return InPlugin.get(loader, () -> harness.classify(calls));
        }
    }

    private record GuardedProvider(RuntimeProvider provider, ClassLoader loader) implements RuntimeProvider {
        @Override
        public Set<String> names() {
            return InPlugin.get(loader, provider::names);
        }

        @Override
        public Set<RuntimeFeature> enforces() {
            return InPlugin.get(loader, provider::enforces);
        }

        @Override
        public Runtime start(RuntimeRequest request) throws InterruptedException {
            return new GuardedRuntime(InPlugin.call(loader, () -> provider.start(request)), loader);
        }

        @Override
        public int removeLeftovers(String nodeId, Path stateDir) {
            return InPlugin.get(loader, () -> provider.removeLeftovers(nodeId, stateDir));
        }
    }

    private record GuardedRuntime(Runtime runtime, ClassLoader loader) implements Runtime {
        @Override
        public ExecResult exec(ExecRequest request) throws InterruptedException {
            return InPlugin.call(loader, () -> runtime.exec(request));
        }

        @Override
        public void upload(Path source, String target) throws InterruptedException {
            InPlugin.step(loader, () -> runtime.upload(source, target));
        }

        @Override
        public void download(String source, Path target) throws InterruptedException {
            InPlugin.step(loader, () -> runtime.download(source, target));
        }

        @Override
        public String path(String sandboxPath) {
            return InPlugin.get(loader, () -> runtime.path(sandboxPath));
        }

        @Override
        public URI reach(URI gateway) {
            return InPlugin.get(loader, () -> runtime.reach(gateway));
        }

        @Override
        public void endProcesses() {
            InPlugin.<Void>get(loader, () -> {
                runtime.endProcesses();
                return null;
            });
        }

        @Override
        public void stop() {
            InPlugin.<Void>get(loader, () -> {
                runtime.stop();
                return null;
            });
        }
    }

    private record GuardedEvaluator<C extends Record>(Evaluator<C> evaluator, ClassLoader loader)
            implements Evaluator<C> {
        @Override
        public Set<String> names() {
            return InPlugin.get(loader, evaluator::names);
        }

        @Override
        public Class<C> configType() {
            return InPlugin.get(loader, evaluator::configType);
        }

        @Override
        public Optional<Object> baseline(EvaluationContext<C> context) throws InterruptedException {
            return InPlugin.call(loader, () -> evaluator.baseline(context));
        }

        @Override
        public Evaluation evaluate(EvaluationContext<C> context, Trajectory trajectory, Optional<Object> baseline)
                throws InterruptedException {
            return InPlugin.call(loader, () -> evaluator.evaluate(context, trajectory, baseline));
        }
    }

    private record GuardedBuilder<C extends Record>(TrajectoryBuilder<C> builder, ClassLoader loader)
            implements TrajectoryBuilder<C> {
        @Override
        public Set<String> names() {
            return InPlugin.get(loader, builder::names);
        }

        @Override
        public Class<C> configType() {
            return InPlugin.get(loader, builder::configType);
        }

        @Override
        public BuiltTrajectory build(SessionRecord record, C config) {
            return InPlugin.get(loader, () -> builder.build(record, config));
        }
    }

    private record GuardedEngine(InferenceEngine engine, ClassLoader loader) implements InferenceEngine {
        @Override
        public String name() {
            return InPlugin.get(loader, engine::name);
        }

        @Override
        public EngineProfile profile() {
            return InPlugin.get(loader, engine::profile);
        }
    }
}
