package dev.polar.inference;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.topology.NodeConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.UnaryOperator;

/** The frozen models of {@code model_pool}. Their answers are never recorded as the policy's. Thread-safe. */
public final class HelperModels implements AutoCloseable {
    private final Map<String, Helper> byAlias = new HashMap<>();
    private final EngineHttp http = new EngineHttp();
    private final AnswerParser parser =
            new AnswerParser(new VllmEngine().profile().whole());
    private final Duration silence;

    private record Helper(NodeConfig.PoolModel model, String key, Semaphore places) {}

    /** @param environment of the process: where keys are */
    public HelperModels(List<NodeConfig.PoolModel> models, UnaryOperator<String> environment, Duration silence) {
        this.silence = silence;
        for (var model : models) {
            var key = model.apiKeyEnv() == null ? null : environment.apply(model.apiKeyEnv());
            int places = model.maxConcurrency() == null ? Integer.MAX_VALUE : model.maxConcurrency();
            byAlias.put(model.alias(), new Helper(model, key, new Semaphore(places, true)));
        }
    }

    /** The name that a helper's server knows, where {@code model} is an alias. */
    public Optional<String> served(String model) {
        return Optional.ofNullable(byAlias.get(model))
                .map(helper -> helper.model().model());
    }

    /**
     * A whole answer of the helper {@code alias}.
     *
     * @throws EngineException where there is none
     */
    public EngineAnswer generate(String alias, ObjectNode request, boolean show, Cancellation cancellation) {
        var helper = byAlias.get(alias);
        try {
            helper.places.acquire();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw EngineException.aborted();
        }
        try {
            return http.send(
                    "POST",
                    EngineLink.uri(helper.model().baseUrl(), "/v1/chat/completions"),
                    JsonTree.write(request),
                    helper.key(),
                    silence,
                    cancellation,
                    (status, head, in) -> {
                        if (status != 200) {
                            throw EngineErrors.of(status, in.readAllBytes(), EngineLink.retryAfter(head), List.of());
                        }
                        var answer = parser.parse(in, show);
                        if (answer.finishReason() == null) {
                            throw EngineException.unfinished();
                        }
                        return answer;
                    });
        } finally {
            helper.places.release();
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
