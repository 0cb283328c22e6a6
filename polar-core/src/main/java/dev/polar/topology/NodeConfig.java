package dev.polar.topology;

import dev.polar.spi.Check;
import dev.polar.spi.EngineProfile;
import dev.polar.spi.RuntimeSpec;
import dev.polar.spi.Sampling;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

/**
 * One of {@code gateway.nodes}.
 *
 * @param id unique
 * @param host address that is bound
 * @param port 0 is replaced by a free one before the server starts
 * @param publicUrl without a trailing slash
 * @param agentListen {@code host:port} of a listener for agents alone, or null
 * @param modelServed empty: the requested model name is kept
 * @param inference the engine behind it
 * @param modelPool frozen helper models
 * @param readyBuffer sessions that may wait warm beyond the free run slots
 * @param defaultRuntime for tasks without one, or null
 * @param openSessions true where a call that no key places is let through to a session of its own
 * @param maxBodyMb limit of a proxied body, in MiB
 * @param roots folders that uploads may come from; empty for any
 */
public record NodeConfig(
        String id,
        String host,
        int port,
        String publicUrl,
        String agentListen,
        String modelServed,
        Inference inference,
        List<PoolModel> modelPool,
        int maxInitWorkers,
        int maxRunWorkers,
        int maxPostrunWorkers,
        int readyBuffer,
        RuntimeSpec defaultRuntime,
        boolean openSessions,
        int maxBodyMb,
        Snapshots snapshots,
        List<Path> roots) {
    public NodeConfig {
        modelPool = Check.list(modelPool);
        roots = Check.list(roots);
    }

    /**
     * {@code inference}.
     *
     * @param engine name of an engine
     * @param baseUrls at least one, each without a trailing slash and without {@code /v1}
     * @param streaming how the engine is asked where the agent streams
     * @param continuation null: exact where the backend is proved to take ids
     * @param continuationKeep also continues where the template dropped reasoning
     * @param sampling wins over what the agent asks for, and loses against the task's own
     * @param endOfTurnTokenId where it is configured
     * @param logprobs null: the engine's default
     */
    public record Inference(
            String engine,
            List<String> baseUrls,
            Streaming streaming,
            Continuation continuation,
            boolean continuationKeep,
            Sampling sampling,
            OptionalInt endOfTurnTokenId,
            EngineProfile.Logprobs logprobs) {
        public Inference {
            baseUrls = Check.list(baseUrls);
        }
    }

    /** How the engine is asked where the agent streams. */
    public enum Streaming {
        BUFFERED,
        NATIVE
    }

    /** How a turn goes on from the one before. */
    public enum Continuation {
        EXACT,
        PLAIN
    }

    /**
     * One of {@code model_pool}.
     *
     * @param alias {@code pool/…}
     * @param model name sent to its server
     * @param baseUrl without a trailing slash and without {@code /v1}
     * @param apiKeyEnv name of the environment variable that holds its key, or null
     * @param maxConcurrency calls at once, or null for any
     */
    public record PoolModel(String alias, String model, String baseUrl, String apiKeyEnv, Integer maxConcurrency) {}

    /** {@code snapshots}. */
    public record Snapshots(boolean enabled, int maxGb, int maxAgeHours) {
        public static final Snapshots OFF = new Snapshots(false, 50, 168);
    }
}
