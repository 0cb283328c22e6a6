package dev.polar.cli;

import dev.polar.result.ResultRun;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The results in a folder, as {@code rollout.save_dir} has them: in it, or in its folders.
 *
 * @param files of the last run of each task, by name
 * @param earlier how many there are of runs before
 */
record ResultFolder(List<Path> files, int earlier) {
    private static final int DEPTH = 2;

    /**
     * Looks into each file where a task may have been submitted again.
     *
     * @throws UserException where it has no results
     */
    static ResultFolder read(Path folder) throws IOException {
        List<Path> files;
        try (var found = Files.walk(folder, DEPTH)) {
            files = found.filter(Files::isRegularFile)
                    .filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList();
        }
        if (files.isEmpty()) {
            throw new UserException(folder + ": has no results in it (no .json files)");
        }
        var runs = new HashMap<Path, ResultRun>();
        var last = new HashMap<String, Double>();
        for (var file : files) {
            var run = run(file);
            runs.put(file, run);
            last.merge(run.taskId(), run.submittedAt(), Math::max);
        }
        var kept = files.stream().filter(file -> current(runs.get(file), last)).toList();
        return new ResultFolder(kept, files.size() - kept.size());
    }

    private static ResultRun run(Path file) {
        try (var in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            return ResultRun.read(in);
        } catch (IOException broken) {
            // Whoever reads its traces says what is wrong with it.
            return new ResultRun(null, 0);
        }
    }

    private static boolean current(ResultRun run, Map<String, Double> last) {
        return run.taskId() == null || run.submittedAt() == last.get(run.taskId());
    }
}
