package dev.polar.gateway;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Sessions of the nodes that unit tests ran, for the check of every session that the build ends with: a copy of what the node knows of each, below {@code target/nodes}, until the tests run again. */
final class KeptNodes {
    private static final Path ALL = Path.of("target", "nodes");
    private static final Set<String> KINDS = Set.of("session.json", "result.json");
    private static final AtomicInteger NUMBER = new AtomicInteger();

    static {
        try {
            delete(ALL);
        } catch (IOException busy) {
            throw new UncheckedIOException(busy);
        }
    }

    private KeptNodes() {}

    /** Copies manifests, results and records; the node has ended. */
    static void keep(NodeFolder node) {
        var kept = ALL.resolve(String.valueOf(NUMBER.incrementAndGet())).resolve("node-n1");
        try (var files = Files.walk(node.root())) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                var inside = node.root().relativize(file);
                if (isOfASession(inside)) {
                    var copy = kept.resolve(inside.toString());
                    Files.createDirectories(copy.getParent());
                    Files.copy(file, copy);
                }
            }
            Files.createDirectories(kept.resolve("records"));
        } catch (IOException refused) {
            throw new UncheckedIOException(refused);
        }
    }

    private static boolean isOfASession(Path inside) {
        return switch (inside.getName(0).toString()) {
            case "records", "spool" -> true;
            case "sessions" ->
                inside.getNameCount() == 3
                        && KINDS.contains(inside.getFileName().toString());
            default -> false;
        };
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (var files = Files.walk(folder)) {
                for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
