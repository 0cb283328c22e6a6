package dev.polar.inference;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.polar.inference.EngineReport.Model;
import dev.polar.inference.Mismatch.Matter;
import dev.polar.spi.InferenceEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Whether an engine is what a node's configuration says of it. Only what it plainly says itself counts: one that does not answer, or that stands behind something which speaks in its place, is
 * taken at the configuration's word.
 *
 * <p>The kind is what {@code /v1/models} gives as {@code owned_by}: vLLM and SGLang each say their own name there, of LoRA adapters too. A model that is not in that list is asked for: some versions of
 * SGLang answer to any name, and vLLM to names that it resolves when they are asked for.
 */
final class EngineIdentity {
    private static final String CHAT = "/v1/chat/completions";
    private static final int NOT_FOUND = 404;

    private final EngineLink link;
    private final String engine;
    private final String served;

    /** @param served {@code model_served}; empty where each request names its own model */
    EngineIdentity(EngineLink link, String engine, String served) {
        this.link = link;
        this.engine = engine;
        this.served = served;
    }

    /** Asks each copy, so it can wait. */
    List<Mismatch> mismatches() {
        var mismatches = new ArrayList<Mismatch>();
        for (var url : link.replicas().all()) {
            var models = EngineReport.models(link, url);
            other(models)
                    .map(other -> new Mismatch(url, Matter.ENGINE, otherEngine(url, other)))
                    .or(() -> lacks(url, models)
                            ? Optional.of(new Mismatch(url, Matter.MODEL, otherModel(url, models)))
                            : Optional.empty())
                    .ifPresent(mismatches::add);
        }
        return mismatches;
    }

    private Optional<String> other(List<Model> models) {
        return known(engine)
                ? models.stream()
                        .map(Model::owner)
                        .filter(owner -> known(owner) && !owner.equals(engine))
                        .findFirst()
                : Optional.empty();
    }

    private static boolean known(String name) {
        return EngineCatalog.builtIn().stream().map(InferenceEngine::name).anyMatch(name::equals);
    }

    private boolean lacks(String url, List<Model> models) {
        return !served.isEmpty()
                && !models.isEmpty()
                && models.stream().noneMatch(model -> model.name().equals(served))
                && refuses(url);
    }

    private boolean refuses(String url) {
        var request = JsonNodeFactory.instance.objectNode().put("model", served).put("max_tokens", 1);
        request.putArray("messages").addObject().put("role", "user").put("content", "Hello.");
        try {
            return link.quick(url, CHAT, JsonTree.write(request), new Cancellation(), (_, _) -> false);
        } catch (EngineException failure) {
            return failure.kind() == EngineException.Kind.REFUSED && failure.status() == NOT_FOUND;
        }
    }

    private String otherEngine(String url, String other) {
        return url + " is an engine of kind " + other + ", and inference.engine says " + engine
                + ": set inference.engine: " + other + ", or correct inference.base_url";
    }

    private String otherModel(String url, List<Model> models) {
        return url + " serves no '" + served + "', which is the node's model_served, but "
                + models.stream().map(Model::toString).collect(Collectors.joining(", "))
                + ": correct model_served, or inference.base_url";
    }
}
