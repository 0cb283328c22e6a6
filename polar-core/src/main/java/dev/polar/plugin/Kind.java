package dev.polar.plugin;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.polar.spi.Evaluator;
import dev.polar.spi.Harness;
import dev.polar.spi.InferenceEngine;
import dev.polar.spi.RuntimeProvider;
import dev.polar.spi.TrajectoryBuilder;
import java.util.Set;
import org.pf4j.ExtensionPoint;

/** The extension points, each a name space of its own. */
public enum Kind {
    HARNESS("harness"),
    RUNTIME("runtime backend"),
    EVALUATOR("evaluator"),
    BUILDER("builder"),
    ENGINE("inference engine");

    private final String title;

    Kind(String title) {
        this.title = title;
    }

    /** In words, for messages. */
    public String title() {
        return title;
    }

    @JsonValue
    public String wire() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** The names that {@code extension} claims under this kind; null where it is not of this kind. */
    Set<String> names(ExtensionPoint extension) {
        return switch (this) {
            case HARNESS -> extension instanceof Harness<?> harness ? harness.names() : null;
            case RUNTIME -> extension instanceof RuntimeProvider provider ? provider.names() : null;
            case EVALUATOR -> extension instanceof Evaluator<?> evaluator ? evaluator.names() : null;
            case BUILDER -> extension instanceof TrajectoryBuilder<?> builder ? builder.names() : null;
            case ENGINE -> extension instanceof InferenceEngine engine ? Set.of(engine.name()) : null;
        };
    }
}
