package dev.polar.runtime.local;

import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Copies a file or a folder's content, modes and times kept, symbolic links as such. Pipes, sockets and devices are left out. */
final class FileCopy extends SimpleFileVisitor<Path> {
    private static final Set<PosixFilePermission> WHILE_FILLED = PosixFilePermissions.fromString("rwx------");

    private final Path source;
    private final Path target;

    private FileCopy(Path source, Path target) {
        this.source = source;
        this.target = target;
    }

    /**
     * Copies; folders on the way to {@code target} are made.
     *
     * @param what begins the message of a failure
     */
    static void copy(Path source, Path target, String what) throws InterruptedException {
        try {
            if (target.getParent() != null) {
                Files.createDirectories(target.getParent());
            }
            Files.walkFileTree(source, new FileCopy(source, target));
        } catch (NoSuchFileException missing) {
            throw new ExtensionException(
                    Category.REQUEST, what + ": " + missing.getFile() + " does not exist", missing);
        } catch (IOException problem) {
            throw new ExtensionException(Category.INFRASTRUCTURE, what + ": " + problem, problem);
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
        var copy = target(folder);
        if (Files.isSymbolicLink(copy)) {
            throw new IOException(copy + " is a symbolic link where a folder belongs");
        }
        if (!Files.isDirectory(copy)) {
            Files.createDirectory(copy, PosixFilePermissions.asFileAttribute(WHILE_FILLED));
        }
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            return FileVisitResult.TERMINATE;
        }
        if (!attributes.isOther()) {
            Files.copy(
                    file,
                    target(file),
                    StandardCopyOption.COPY_ATTRIBUTES,
                    StandardCopyOption.REPLACE_EXISTING,
                    LinkOption.NOFOLLOW_LINKS);
        }
        return FileVisitResult.CONTINUE;
    }

    /** A folder gets its mode last: it may be one that nothing can be written into. */
    @Override
    public FileVisitResult postVisitDirectory(Path folder, IOException problem) throws IOException {
        if (problem != null) {
            throw problem;
        }
        Files.setPosixFilePermissions(target(folder), Files.getPosixFilePermissions(folder));
        return FileVisitResult.CONTINUE;
    }

    private Path target(Path path) {
        return target.resolve(source.relativize(path).toString());
    }
}
