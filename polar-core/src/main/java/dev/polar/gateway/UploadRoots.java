package dev.polar.gateway;

import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Which of the node's files a task may put into its sandbox.
 *
 * @param folders where they may come from; empty for anywhere
 */
record UploadRoots(List<Path> folders) {
    /**
     * The file or folder that a task names, links resolved: one that leads out of the roots is as far away as what it points to.
     *
     * @throws ExtensionException where it is missing, or in none of the roots
     */
    Path resolve(String named, boolean folder) {
        var source = Path.of(named);
        if (!(folder ? Files.isDirectory(source) : Files.isRegularFile(source))) {
            throw new ExtensionException(
                    Category.REQUEST, "there is no " + (folder ? "folder " : "file ") + named + " on this node");
        }
        try {
            var real = source.toRealPath();
            if (folders.isEmpty() || allowed(real)) {
                return real;
            }
        } catch (IOException problem) {
            throw new ExtensionException(
                    Category.INFRASTRUCTURE, named + " cannot be read: " + Messages.of(problem), problem);
        }
        throw new ExtensionException(
                Category.REQUEST,
                named + " is in none of the folders that uploads may come from (the node's roots: "
                        + String.join(", ", folders.stream().map(Path::toString).toList()) + ")");
    }

    private boolean allowed(Path real) throws IOException {
        for (var root : folders) {
            if (Files.exists(root) && real.startsWith(root.toRealPath())) {
                return true;
            }
        }
        return false;
    }
}
