package dev.polar.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Where the servers of an integration test keep their data: below {@code target/sessions}, by the test's class and a number. It stays, for {@link EverySessionCheck}, until the class runs again. Thread-safe. */
final class KeptFolder {
    private static final Map<Class<?>, AtomicInteger> NUMBERS = new ConcurrentHashMap<>();

    private KeptFolder() {}

    /** What a test keeps. */
    static Path all(String test) {
        return Path.of(System.getProperty("polar.root"), "polar-cli", "target", "sessions", test);
    }

    /** A new, empty one. The first of a class removes what an earlier run left. */
    static Path of(Class<?> test) {
        var folder = all(test.getSimpleName());
        int number = NUMBERS.computeIfAbsent(test, _ -> {
                    delete(folder);
                    return new AtomicInteger();
                })
                .incrementAndGet();
        try {
            return Files.createDirectories(folder.resolve(String.valueOf(number)));
        } catch (IOException refused) {
            throw new UncheckedIOException(refused);
        }
    }

    private static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException busy) {
            throw new UncheckedIOException(busy);
        }
    }
}
