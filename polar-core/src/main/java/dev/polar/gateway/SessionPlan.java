package dev.polar.gateway;

import dev.polar.plugin.Lease;
import dev.polar.plugin.PluginRegistry;
import dev.polar.spi.BuilderSpec;
import dev.polar.spi.BuiltTrajectory;
import dev.polar.spi.Evaluator;
import dev.polar.spi.EvaluatorSpec;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.Harness;
import dev.polar.spi.RuntimeFeature;
import dev.polar.spi.RuntimeProvider;
import dev.polar.spi.RuntimeSpec;
import dev.polar.spi.Sampling;
import dev.polar.spi.SessionDispatch;
import dev.polar.spi.SessionRecord;
import dev.polar.spi.TrajectoryBuilder;
import dev.polar.topology.NodeConfig;
import dev.polar.trajectory.TrajectoryAssembler;
import dev.polar.wire.Binder;
import dev.polar.wire.BindingException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A dispatch with all its names resolved and all its settings bound: the extensions that the session uses until it ends, also where their plugins are replaced meanwhile. Closing it gives them
 * back.
 */
final class SessionPlan implements AutoCloseable {
    /** Keys of {@code agent.settings} that are the server's own matter, for each harness. */
    private static final String SAMPLING_SEED = "sampling_seed";

    private static final String MODEL_KWARGS = "model_kwargs";

    /** A harness with its settings. */
    record BoundHarness<S extends Record>(Harness<S> harness, S settings) {
        static <S extends Record> BoundHarness<S> of(Harness<S> harness, Map<String, Object> settings) {
            return new BoundHarness<>(harness, Binder.bind(settings, harness.settingsType(), "agent.settings"));
        }
    }

    /** An evaluator with its configuration. */
    record BoundEvaluator<C extends Record>(Evaluator<C> evaluator, C config) {
        static <C extends Record> BoundEvaluator<C> of(Evaluator<C> evaluator, Map<String, Object> config) {
            return new BoundEvaluator<>(evaluator, Binder.bind(config, evaluator.configType(), "evaluator.config"));
        }
    }

    /** A builder with its configuration. */
    record BoundBuilder<C extends Record>(TrajectoryBuilder<C> builder, C config) {
        static <C extends Record> BoundBuilder<C> of(TrajectoryBuilder<C> builder, Map<String, Object> config) {
            return new BoundBuilder<>(builder, Binder.bind(config, builder.configType(), "builder.config"));
        }

        BuiltTrajectory build(SessionRecord record) {
            return TrajectoryAssembler.build(builder, record, config);
        }
    }

    private final Deque<Lease<?>> leases = new ArrayDeque<>();
    private RuntimeSpec runtime;
    private RuntimeProvider provider;
    private BoundHarness<?> harness;
    private BoundBuilder<?> builder;
    private BoundEvaluator<?> evaluator;
    private Sampling sampling;
    private Map<String, Object> modelKwargs;

    private SessionPlan() {}

    /**
     * @throws ExtensionException for a name that nothing claims, and a limit that the runtime cannot enforce
     * @throws BindingException for settings that do not fit
     */
    static SessionPlan of(SessionDispatch dispatch, NodeConfig node, PluginRegistry plugins) {
        var plan = new SessionPlan();
        try {
            plan.bindRuntime(dispatch, node, plugins);
            plan.bindHarness(dispatch, plugins);
            checkSkills(dispatch.agent().skillsPath(), new UploadRoots(node.roots()));
            plan.bindScoring(dispatch.builder(), dispatch.evaluator(), plugins);
            return plan;
        } catch (RuntimeException refused) {
            plan.close();
            throw refused;
        }
    }

    /** Of a bare session: it is built and scored, and nothing else. Throws as {@link #of} does. */
    static SessionPlan bare(FinishRequest request, PluginRegistry plugins) {
        var plan = new SessionPlan();
        try {
            plan.bindScoring(request.builder(), request.evaluator(), plugins);
            return plan;
        } catch (RuntimeException refused) {
            plan.close();
            throw refused;
        }
    }

    private void bindScoring(BuilderSpec built, EvaluatorSpec scored, PluginRegistry plugins) {
        builder = BoundBuilder.of(hold(plugins.builder(built.strategy())), built.config());
        if (scored != null) {
            evaluator = BoundEvaluator.of(hold(plugins.evaluator(scored.strategy())), scored.config());
        }
    }

    private void bindRuntime(SessionDispatch dispatch, NodeConfig node, PluginRegistry plugins) {
        runtime = dispatch.runtime() == null ? node.defaultRuntime() : dispatch.runtime();
        if (runtime == null) {
            throw new ExtensionException(
                    Category.REQUEST,
                    "runtime: the task names none and node '" + node.id()
                            + "' has no default_runtime: name one, for example {\"backend\": \"local\"}");
        }
        provider = hold(plugins.runtimeProvider(runtime.providerName()));
        check(runtime.cpus() != null, RuntimeFeature.CPUS, "runtime.cpus: " + runtime.cpus());
        check(runtime.memoryMb() != null, RuntimeFeature.MEMORY, "runtime.memory_mb: " + runtime.memoryMb());
        check(runtime.storageMb() != null, RuntimeFeature.STORAGE, "runtime.storage_mb: " + runtime.storageMb());
        check(runtime.gpus() > 0, RuntimeFeature.GPUS, "runtime.gpus: " + runtime.gpus());
        check(!runtime.allowInternet(), RuntimeFeature.NO_INTERNET, "runtime.allow_internet: false");
        check(
                !"host".equals(runtime.network()),
                RuntimeFeature.NETWORK,
                "runtime.network: '" + runtime.network() + "'");
        // An image is what a backend other than local always has; only one that knows none at all is told here.
        check(
                runtime.image() != null && !RuntimeSpec.LOCAL.equals(runtime.providerName()),
                RuntimeFeature.IMAGE,
                "runtime.image: '" + runtime.image() + "'");
    }

    private void check(boolean wanted, RuntimeFeature feature, String what) {
        if (wanted && !provider.enforces().contains(feature)) {
            throw new ExtensionException(
                    Category.REQUEST,
                    what + " cannot be enforced by runtime '" + runtime.providerName()
                            + "' on this node: leave it out, or choose another runtime.backend");
        }
    }

    private void bindHarness(SessionDispatch dispatch, PluginRegistry plugins) {
        var agent = dispatch.agent();
        var found = hold(plugins.harness(agent.name()));
        var own = new LinkedHashMap<>(agent.settings());
        var seed = take(own, SAMPLING_SEED, found.settingsType());
        var kwargs = take(own, MODEL_KWARGS, found.settingsType());
        harness = BoundHarness.of(found, own);
        var asked = agent.sampling() == null ? Sampling.NONE : agent.sampling();
        sampling = seed == null ? asked : new Sampling(null, null, null, null, null, seed(seed)).orElse(asked);
        modelKwargs = kwargs == null ? Map.of() : kwargs(kwargs);
    }

    /** A harness puts them into the sandbox, as an upload does. */
    private static void checkSkills(String path, UploadRoots roots) {
        if (path != null) {
            try {
                roots.resolve(path, true);
            } catch (ExtensionException refused) {
                throw new ExtensionException(refused.category(), "agent.skills_path: " + Messages.of(refused), refused);
            }
        }
    }

    /** The value of a key of ours; it goes on to a harness that declares it too. */
    private static Object take(Map<String, Object> settings, String key, Class<? extends Record> type) {
        boolean declared = Arrays.stream(type.getRecordComponents())
                .anyMatch(component ->
                        component.getName().equals(key.equals(SAMPLING_SEED) ? "samplingSeed" : "modelKwargs"));
        return declared ? settings.get(key) : settings.remove(key);
    }

    private static long seed(Object value) {
        if (value instanceof Integer || value instanceof Long) {
            return ((Number) value).longValue();
        }
        throw new BindingException("agent.settings." + SAMPLING_SEED, value + " must be an integer");
    }

    private static Map<String, Object> kwargs(Object value) {
        if (value instanceof Map<?, ?> map) {
            var copy = new LinkedHashMap<String, Object>();
            map.forEach((key, kwarg) -> copy.put(String.valueOf(key), kwarg));
            return copy;
        }
        throw new BindingException("agent.settings." + MODEL_KWARGS, "must be an object");
    }

    private <T> T hold(Lease<T> lease) {
        leases.push(lease);
        return lease.value();
    }

    /** The task's runtime, or the node's default. */
    RuntimeSpec runtime() {
        return runtime;
    }

    RuntimeProvider provider() {
        return provider;
    }

    BoundHarness<?> harness() {
        return harness;
    }

    BoundBuilder<?> builder() {
        return builder;
    }

    Optional<BoundEvaluator<?>> evaluator() {
        return Optional.ofNullable(evaluator);
    }

    /** {@code agent.sampling}, with {@code settings.sampling_seed} as its seed. */
    Sampling sampling() {
        return sampling;
    }

    Map<String, Object> modelKwargs() {
        return modelKwargs;
    }

    @Override
    public void close() {
        while (!leases.isEmpty()) {
            leases.pop().close();
        }
    }
}
