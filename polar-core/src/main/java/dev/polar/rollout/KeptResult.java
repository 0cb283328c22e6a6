package dev.polar.rollout;

import java.nio.file.Path;

/** Where a result stands: in a file, or in its row. Exactly one is set. */
record KeptResult(String path, String inline) {
    static KeptResult file(Path path) {
        return new KeptResult(path.toString(), null);
    }

    static KeptResult inline(String json) {
        return new KeptResult(null, json);
    }
}
