package dev.polar.spi;

import java.util.List;
import java.util.Map;

/**
 * The sandbox that a session wants.
 *
 * @param backend name of a {@link RuntimeProvider}; default {@code docker}
 * @param image required, except for {@code local}
 * @param prepare steps that set it up
 * @param evalPrepare steps that set a fresh one up for the evaluator; null means {@code prepare}
 * @param env for all its processes
 * @param network default {@code host}
 * @param workdir directory in the runtime, or null for the runtime's own choice
 * @param directExecInitCommand run before each direct command, or null
 * @param cpus limit in cores, or null
 * @param memoryMb limit in MiB, or null
 * @param storageMb limit in MiB, or null
 * @param gpus number of devices, default 0
 * @param allowInternet default true
 * @param internetVolumes volumes that go with internet access
 * @param importPath an opaque name that a provider may claim, or null
 * @param kwargs the provider's own, for example {@code volumes}
 */
public record RuntimeSpec(
        String backend,
        String image,
        List<PrepareAction> prepare,
        List<PrepareAction> evalPrepare,
        Map<String, String> env,
        String network,
        String workdir,
        String directExecInitCommand,
        Double cpus,
        Integer memoryMb,
        Integer storageMb,
        Integer gpus,
        Boolean allowInternet,
        List<String> internetVolumes,
        String importPath,
        Map<String, Object> kwargs) {
    /** The backend that needs no image. */
    public static final String LOCAL = "local";

    public RuntimeSpec {
        backend = Check.orElse(backend, "docker");
        Check.text("backend", backend);
        if (!LOCAL.equals(backend) && importPath == null) {
            if (image == null) {
                throw new InvalidValueException("image", "is required for the backend '" + backend + "'");
            }
            Check.text("image", image);
        }
        prepare = Check.list(prepare);
        evalPrepare = evalPrepare == null ? null : Check.list(evalPrepare);
        env = Check.env("env", env);
        network = Check.orElse(network, "host");
        Check.positive("cpus", cpus);
        Check.within("memory_mb", memoryMb, 1, Integer.MAX_VALUE);
        Check.within("storage_mb", storageMb, 1, Integer.MAX_VALUE);
        gpus = Check.orElse(Check.within("gpus", gpus, 0, Integer.MAX_VALUE), 0);
        allowInternet = Check.orElse(allowInternet, true);
        internetVolumes = Check.list(internetVolumes);
        kwargs = Check.map(kwargs);
    }

    /** The name that a provider must claim: {@code import_path} where it is set, else {@code backend}. */
    public String providerName() {
        return importPath == null ? backend : importPath;
    }

    /** The steps for a fresh runtime of the evaluator. */
    public List<PrepareAction> evaluationPrepare() {
        return evalPrepare == null ? prepare : evalPrepare;
    }
}
