package dev.polar.inference;

import dev.polar.capture.Detokenizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;

/** Texts of ids from the engine's own endpoint. Thread-safe. */
public final class EngineDetokenizer implements Detokenizer {
    private static final int AT_ONCE = 8;

    private final InferenceClient client;
    private final String model;

    /** @param model as the engine calls it, or null */
    public EngineDetokenizer(InferenceClient client, String model) {
        this.client = client;
        this.model = model;
    }

    @Override
    public Optional<List<String>> texts(List<int[]> sequences) {
        var endpoints = client.profile().tokenizer();
        if (endpoints.isEmpty()) {
            return Optional.empty();
        }
        var path = endpoints.get().detokenizePath();
        var pointer = endpoints.get().detokenizedText();
        var tasks = sequences.stream()
                .<Callable<String>>map(ids -> () -> client.detokenize(path, model, ids, pointer))
                .toList();
        try (var threads =
                Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory())) {
            var texts = new ArrayList<String>(sequences.size());
            for (var task : threads.invokeAll(tasks)) {
                var text = task.get();
                if (text == null) {
                    return Optional.empty();
                }
                texts.add(text);
            }
            return Optional.of(texts);
        } catch (ExecutionException unreachable) {
            return Optional.empty();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
