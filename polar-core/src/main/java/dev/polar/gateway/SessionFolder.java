package dev.polar.gateway;

import com.fasterxml.jackson.core.JacksonException;
import dev.polar.wire.Json;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * One session's folder on the node. {@code session} and {@code eval} appear as {@code /polar/session} in its runtimes and go when it ends; {@code logs}, {@code artifacts}, the manifest and the
 * result are kept as long as the session is.
 */
record SessionFolder(Path root) {
    private static final int MAX_NAME = 120;

    /** A file name for an id that an outsider chose. */
    static String nameOf(String sessionId) {
        var name = URLEncoder.encode(sessionId, StandardCharsets.UTF_8).replace("*", "%2A");
        if (name.startsWith(".")) {
            name = "%2E" + name.substring(1);
        }
        return name.length() <= MAX_NAME
                ? name
                : name.substring(0, MAX_NAME - 33) + "-" + digest(sessionId).substring(0, 32);
    }

    private static String digest(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException neverMissing) {
            throw new IllegalStateException(neverMissing);
        }
    }

    /** Becomes {@code /polar/session} of the agent's runtime. */
    Path session() {
        return root.resolve("session");
    }

    /** Becomes {@code /polar/session} of the evaluator's fresh runtime. */
    Path eval() {
        return root.resolve("eval");
    }

    Path logs() {
        return root.resolve("logs");
    }

    Path artifacts() {
        return root.resolve("artifacts");
    }

    /** Goes with the session. */
    Path scratch() {
        return root.resolve("scratch");
    }

    /** The result, once it was acknowledged. */
    Path result() {
        return root.resolve("result.json");
    }

    private Path manifest() {
        return root.resolve("session.json");
    }

    /** Makes the folder with what is needed before the session starts. */
    void create(SessionManifest manifest) throws IOException {
        Files.createDirectories(logs());
        Files.createDirectories(artifacts());
        Files.createDirectories(scratch());
        DurableFile.write(manifest(), out -> Json.MAPPER.writeValue(out, manifest));
    }

    /** Makes a runtime's folder with the ones that the environment names. */
    static void createRuntimeFolder(Path folder) throws IOException {
        Files.createDirectories(folder.resolve("artifacts"));
        Files.createDirectories(folder.resolve("logs").resolve("agent"));
    }

    /** Empty where the folder is not a session's, or its making was cut off. */
    Optional<SessionManifest> read() throws IOException {
        try {
            return Files.exists(manifest())
                    ? Optional.of(Json.MAPPER.readValue(manifest().toFile(), SessionManifest.class))
                    : Optional.empty();
        } catch (JacksonException broken) {
            return Optional.empty();
        }
    }

    /** Keeps what the session left in its artifacts and logs folders, and removes the runtimes' folders. Nothing must run in them. */
    void settle() throws IOException {
        keep(session().resolve("artifacts"), artifacts());
        keep(session().resolve("logs"), logs());
        keep(eval().resolve("logs"), logs().resolve("eval"));
        delete(session());
        delete(eval());
        delete(scratch());
    }

    /** Removes all of it. */
    void delete() throws IOException {
        delete(root);
    }

    /** Moves what is in {@code from} into {@code to}. Nothing is followed: the agent may have put links anywhere. */
    private static void keep(Path from, Path to) throws IOException {
        if (!Files.isDirectory(from, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (var entries = Files.newDirectoryStream(from)) {
            for (var entry : entries) {
                if (emptyFolder(entry)) {
                    continue;
                }
                Files.createDirectories(to);
                Files.move(entry, free(to, entry.getFileName().toString()));
            }
        }
    }

    private static boolean emptyFolder(Path entry) throws IOException {
        if (!Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (var inside = Files.newDirectoryStream(entry)) {
            return !inside.iterator().hasNext();
        }
    }

    private static Path free(Path folder, String name) {
        var target = folder.resolve(name);
        for (int copy = 2; Files.exists(target, LinkOption.NOFOLLOW_LINKS); copy++) {
            target = folder.resolve(name + "-" + copy);
        }
        return target;
    }

    private static void delete(Path tree) throws IOException {
        if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                if (!Files.isReadable(folder) || !Files.isWritable(folder) || !Files.isExecutable(folder)) {
                    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException problem) throws IOException {
                if (problem != null) {
                    throw problem;
                }
                Files.delete(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
