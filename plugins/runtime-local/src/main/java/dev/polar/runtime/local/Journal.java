package dev.polar.runtime.local;

import dev.polar.spi.ExtensionException;
import dev.polar.spi.RuntimeRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;

/**
 * Which runtimes there are: one file for each, written before its first process and removed after its last. A label starts with a digest of the journal's folder, so that servers on one machine
 * never take each other's processes for their own, whatever their nodes are called.
 */
final class Journal {
    private static final String SUFFIX = ".runtime";

    private final Path folder;

    Journal(Path folder) {
        this.folder = folder;
    }

    /** Writes an entry and answers its label. */
    String add(RuntimeRequest request) {
        var id = UUID.randomUUID().toString();
        var session = request.session();
        try {
            Files.createDirectories(folder);
            var node = session.nodeId().replace('/', '_');
            var label = String.join("/", owner(), node, session.sessionId(), request.purpose(), id);
            Files.writeString(folder.resolve(id + SUFFIX), label + "\n");
            return label;
        } catch (IOException problem) {
            throw new ExtensionException(
                    ExtensionException.Category.INFRASTRUCTURE,
                    "cannot write the journal of runtimes in " + folder + ": " + problem.getMessage(),
                    problem);
        }
    }

    void remove(String label) {
        try {
            Files.deleteIfExists(folder.resolve(label.substring(label.lastIndexOf('/') + 1) + SUFFIX));
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    /** Each is a runtime that was begun, whether or not its processes live; a crash may have cut its text short. */
    List<Path> entries() throws IOException {
        var found = new ArrayList<Path>();
        if (Files.isDirectory(folder)) {
            try (var entries = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
                entries.forEach(found::add);
            }
        }
        return found;
    }

    /** The id of the runtime that an entry is of: the last part of its label. */
    static String id(Path entry) {
        var name = entry.getFileName().toString();
        return name.substring(0, name.length() - SUFFIX.length());
    }

    /** What all labels of this journal start with. */
    String owner() {
        try {
            var path = Files.isDirectory(folder)
                    ? folder.toRealPath()
                    : folder.toAbsolutePath().normalize();
            var digest =
                    MessageDigest.getInstance("SHA-256").digest(path.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        } catch (NoSuchAlgorithmException everyPlatformHasIt) {
            throw new IllegalStateException(everyPlatformHasIt);
        }
    }
}
