package dev.polar.runtime.local;

import dev.polar.spi.ExtensionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The file system as a runtime's processes see it, in terms of the node's. Immutable.
 *
 * @param mounts the deepest one that holds a path says where it really is
 */
record View(List<Mount> mounts) {
    /** As many symbolic links as Linux follows in one path. */
    private static final int MAX_LINKS = 40;

    /**
     * A place in the view.
     *
     * @param at absolute path in the view
     * @param host where that is on the node; null for a place that the node's files do not show through
     * @param writable whether the runtime's processes may write there
     */
    record Mount(Path at, Path host, boolean writable) {}

    /**
     * Where a path of the view is on the node, symbolic links followed as the runtime's processes would follow them, so that no link leads out of the view.
     *
     * @param host may not exist
     */
    record Place(Path host, boolean writable) {}

    View {
        mounts = mounts.stream()
                .sorted(Comparator.comparing((Mount mount) -> mount.at().getNameCount())
                        .reversed())
                .toList();
    }

    /** @throws ExtensionException for a path that is not absolute, or leads nowhere */
    Place resolve(String path) {
        if (!path.startsWith("/")) {
            throw refused("'" + path + "' is not an absolute path");
        }
        var todo = new ArrayDeque<>(parts(path));
        var done = new ArrayList<String>();
        int links = 0;
        while (!todo.isEmpty()) {
            var part = todo.pop();
            if (part.equals("..")) {
                if (!done.isEmpty()) {
                    done.removeLast();
                }
                continue;
            }
            done.add(part);
            var host = place(done).host();
            if (host == null || !Files.isSymbolicLink(host)) {
                continue;
            }
            if (++links > MAX_LINKS) {
                throw refused("'" + path + "' has too many symbolic links");
            }
            var target = target(host);
            done.removeLast();
            if (target.startsWith("/")) {
                done.clear();
            }
            var before = parts(target);
            for (int i = before.size() - 1; i >= 0; i--) {
                todo.push(before.get(i));
            }
        }
        var place = place(done);
        if (place.host() == null) {
            throw refused("'" + path + "' is not among the files that can be copied to or from this runtime");
        }
        return place;
    }

    private Place place(List<String> done) {
        var path = Path.of("/", done.toArray(String[]::new));
        for (var mount : mounts) {
            if (path.startsWith(mount.at())) {
                var host = mount.host() == null
                        ? null
                        : mount.host().resolve(mount.at().relativize(path).toString());
                return new Place(host, mount.writable());
            }
        }
        throw refused("'" + path + "' is outside the runtime's view");
    }

    private static List<String> parts(String path) {
        return Arrays.stream(path.split("/"))
                .filter(part -> !part.isEmpty() && !part.equals("."))
                .toList();
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException gone) {
            throw refused("'" + link + "' cannot be read: " + gone.getMessage());
        }
    }

    private static ExtensionException refused(String problem) {
        return new ExtensionException(ExtensionException.Category.REQUEST, problem);
    }
}
