package dev.polar.gateway;

import dev.polar.plugin.Kind;
import dev.polar.spi.ExtensionException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes the runtimes that a killed process of this node left. */
record Leftovers(NodeParts parts) {
    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

    /** Asks every runtime provider, once. One that fails does not keep the others from it. */
    void remove() {
        Set<Path> asked = new HashSet<>();
        for (var name : parts.plugins().names(Kind.RUNTIME)) {
            try (var lease = parts.plugins().runtimeProvider(name)) {
                var journal = parts.folder().runtimes(lease.value());
                if (asked.add(journal)) {
                    java.nio.file.Files.createDirectories(journal);
                    int removed = lease.value().removeLeftovers(parts.config().id(), journal);
                    if (removed > 0) {
                        LOG.info("removed {} runtimes that an earlier process left ({})", removed, name);
                    }
                }
            } catch (ExtensionException claimedTwice) {
                LOG.warn("runtime '{}' cannot look for leftovers: {}", name, Messages.of(claimedTwice));
            } catch (RuntimeException | LinkageError | java.io.IOException broken) {
                LOG.warn("runtime '{}' failed to remove leftovers", name, broken);
            }
        }
    }
}
