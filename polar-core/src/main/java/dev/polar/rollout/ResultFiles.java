package dev.polar.rollout;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The results' files. A result is written to a temporary name, forced to the disk, and renamed: a name that is there stands for a whole result. Thread-safe. */
final class ResultFiles {
    private static final Logger LOG = LoggerFactory.getLogger(ResultFiles.class);
    private static final int MAX_NAME_BYTES = 200;

    private final Path incoming;
    private final Path root;
    private final boolean ours;

    /**
     * @param folder the rollout server's own folder
     * @param saveDir where the operator wants them, or null
     */
    ResultFiles(Path folder, Path saveDir) {
        this.incoming = folder.resolve("incoming");
        this.root = saveDir == null ? folder.resolve("results") : saveDir;
        this.ours = saveDir == null;
    }

    /** Makes the folders and removes what an earlier process was still receiving. */
    void prepare() throws IOException {
        Files.createDirectories(incoming);
        Files.createDirectories(root);
        try (var left = Files.list(incoming)) {
            for (var file : left.toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** True where the operator asked for the files, so that results name them. */
    boolean published() {
        return !ours;
    }

    /** Copies a body to a temporary file that the caller keeps or deletes. */
    Path receive(InputStream body) throws IOException {
        var file = incoming.resolve(UUID.randomUUID() + ".json");
        try (var out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                var stream = java.nio.channels.Channels.newOutputStream(out)) {
            body.transferTo(stream);
            out.force(false);
            return file;
        } catch (IOException | RuntimeException broken) {
            Files.deleteIfExists(file);
            throw broken;
        }
    }

    /** Gives a received file its final name; what stood there is replaced. */
    Path keep(Path received, String taskId, String sessionId) throws IOException {
        var target = path(taskId, sessionId);
        Files.createDirectories(target.getParent());
        try {
            Files.move(received, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException otherFileSystem) {
            var beside = target.resolveSibling(target.getFileName() + "." + UUID.randomUUID() + ".tmp");
            try {
                Files.copy(received, beside);
                Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(beside);
            }
            Files.deleteIfExists(received);
        }
        return target;
    }

    /** Where a session's result stands. */
    Path path(String taskId, String sessionId) {
        return named(named(root, "task_" + taskId, ""), "ses_" + sessionId, ".json");
    }

    /** In a locale without UTF-8 not every id can be a file's name: such a one is percent-encoded, so that its result is not lost. */
    private static Path named(Path folder, String name, String end) {
        try {
            return folder.resolve(fileName(name) + end);
        } catch (InvalidPathException notHere) {
            return folder.resolve(fileName(URLEncoder.encode(name, StandardCharsets.UTF_8)) + end);
        }
    }

    /** Removes a task's result, and its folder with the last one. What the operator asked for stays. */
    void forget(String path) {
        if (path == null || !ours) {
            return;
        }
        try {
            var file = Path.of(path);
            Files.deleteIfExists(file);
            deleteWhenEmpty(file.getParent());
        } catch (IOException | UncheckedIOException refused) {
            LOG.warn("cannot remove the old result {}: {}", path, refused.toString());
        }
    }

    private static void deleteWhenEmpty(Path folder) throws IOException {
        try (var left = Files.list(folder)) {
            if (left.findAny().isPresent()) {
                return;
            }
        } catch (NoSuchFileException gone) {
            return;
        }
        Files.deleteIfExists(folder);
    }

    /** File systems take 255 bytes: a longer name keeps its start and gets its digest. */
    private static String fileName(String name) {
        var bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= MAX_NAME_BYTES) {
            return name;
        }
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            int end = name.offsetByCodePoints(0, 30);
            return name.substring(0, end) + "~" + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
