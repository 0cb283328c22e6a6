package dev.polar.rollout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A task's status and result as bodies. Thread-safe. */
final class TaskDocuments {
    private final Database database;
    private final Stores stores;
    private final ResultFiles files;

    private record Found(TaskRow task, List<SessionRow> finished) {}

    TaskDocuments(Database database, Stores stores, ResultFiles files) {
        this.database = database;
        this.stores = stores;
        this.files = files;
    }

    /** TaskStatus; empty where there is no such task. */
    Optional<TaskDocument> status(String taskId) throws IOException {
        var found = find(taskId);
        return found.isEmpty() ? Optional.empty() : Optional.of(document(found.get(), true));
    }

    /** TaskResult; empty where there is no such task. */
    Optional<TaskDocument> callback(String taskId) throws IOException {
        var found = find(taskId);
        return found.isEmpty() ? Optional.empty() : Optional.of(document(found.get(), false));
    }

    private Optional<Found> find(String taskId) {
        return database.read(handle -> {
            while (true) {
                // The task first: whatever it says to be done is among the rows that are read after it.
                var task = stores.tasks().find(handle, taskId);
                var finished = stores.sessions().finished(handle, taskId);
                var again = stores.tasks().find(handle, taskId);
                if (task.map(TaskRow::createdAt).equals(again.map(TaskRow::createdAt))) {
                    return task.map(row -> new Found(row, finished));
                }
            }
        });
    }

    private TaskDocument document(Found found, boolean withCounts) throws IOException {
        var task = found.task();
        Map<String, Object> head = new LinkedHashMap<>();
        head.put("task_id", task.taskId());
        head.put("status", task.state());
        if (withCounts) {
            head.put("total_sessions", task.numSamples());
            head.put("completed_sessions", found.finished().size());
        }
        var results = new ArrayList<KeptResult>();
        var paths = new ArrayList<String>();
        for (var session : found.finished()) {
            results.add(kept(task, session));
            if (files.published() && session.resultPath() != null) {
                paths.add(session.resultPath());
            }
        }
        return TaskDocument.of(head, results, paths);
    }

    /** A file that somebody removed is said to be gone, in its place: the other samples' results are still an answer. */
    private static KeptResult kept(TaskRow task, SessionRow session) {
        if (session.resultPath() == null || Files.isReadable(Path.of(session.resultPath()))) {
            return new KeptResult(session.resultPath(), session.resultInline());
        }
        var error = "its result file " + session.resultPath() + " is not there any more";
        return KeptResult.inline(NeverRan.json(task, session, error, Map.of()));
    }
}
