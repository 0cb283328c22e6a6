package dev.polar.cli;

import dev.polar.topology.Topology;
import dev.polar.topology.TopologyLoader;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Overrides of topology keys: those of the environment, under the names that MicroProfile Config gives them ({@code POLAR_ROLLOUT_PORT}), and on top those that a command decides. The server is
 * started with the same, so that both see one topology.
 */
final class Configuration {
    private final Map<String, String> decided = new LinkedHashMap<>();

    /** Decides a key, for example {@code polar.rollout.port}. */
    void decide(String key, Object value) {
        decided.put(key, value.toString());
    }

    Topology load(Path file, Consumer<String> warnings) {
        return TopologyLoader.load(file, this::value, name -> Optional.ofNullable(System.getenv(name)), warnings);
    }

    /** What the server's environment must say besides. */
    Map<String, String> environment() {
        var environment = new LinkedHashMap<String, String>();
        decided.forEach((key, value) -> environment.put(variable(key), value));
        return environment;
    }

    private Optional<String> value(String key) {
        if (decided.containsKey(key)) {
            return Optional.of(decided.get(key));
        }
        return Optional.ofNullable(System.getenv(key))
                .or(() -> Optional.ofNullable(System.getenv(key.replaceAll("[^A-Za-z0-9]", "_"))))
                .or(() -> Optional.ofNullable(System.getenv(variable(key))))
                .filter(text -> !text.isBlank());
    }

    static String variable(String key) {
        return key.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
    }
}
