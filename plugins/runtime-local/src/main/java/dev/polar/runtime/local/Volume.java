package dev.polar.runtime.local;

import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One of {@code runtime.kwargs.volumes}: {@code source:target}, read-only with {@code :ro} after it.
 *
 * @param source on the node
 * @param target absolute path in the runtime
 */
record Volume(Path source, String target, boolean writable) {
    static List<Volume> all(Map<String, Object> kwargs) {
        var volumes = new ArrayList<Volume>();
        switch (kwargs.get("volumes")) {
            case null -> {}
            case List<?> list -> list.forEach(entry -> volumes.add(of(entry)));
            case Object other -> throw refused(other, "must be a list of 'source:target' or 'source:target:ro'");
        }
        return volumes;
    }

    private static Volume of(Object entry) {
        var parts = entry instanceof String text ? text.split(":") : new String[0];
        boolean mode = parts.length == 3 && (parts[2].equals("ro") || parts[2].equals("rw"));
        if (parts.length != 2 && !mode) {
            throw refused(entry, "must be 'source:target' or 'source:target:ro'");
        }
        var source = Path.of(parts[0]);
        if (!source.isAbsolute() || !parts[1].startsWith("/")) {
            throw refused(entry, "must have absolute paths");
        }
        if (!Files.exists(source)) {
            throw refused(entry, "names a path that does not exist on this node");
        }
        return new Volume(source, parts[1], !(mode && parts[2].equals("ro")));
    }

    private static ExtensionException refused(Object value, String problem) {
        return new ExtensionException(Category.REQUEST, "runtime.kwargs.volumes: '" + value + "' " + problem);
    }
}
