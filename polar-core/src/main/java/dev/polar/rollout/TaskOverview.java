package dev.polar.rollout;

import dev.polar.spi.TaskState;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What can be said of tasks without their results. Thread-safe. */
final class TaskOverview {
    private final Database database;
    private final Stores stores;

    TaskOverview(Database database, Stores stores) {
        this.database = database;
        this.stores = stores;
    }

    Map<String, TaskState> states() {
        return database.read(stores.tasks()::states);
    }

    /** Sessions that wait for a node. */
    int pendingSessions() {
        return database.read(stores.sessions()::pendingCount);
    }

    /** Newest first. */
    List<TaskStore.Listed> list(TaskStore.Filter filter) {
        return database.read(handle -> stores.tasks().list(handle, filter));
    }

    /** All attempts of a task's samples; empty where there is no such task. */
    Optional<List<SessionRow>> attempts(String taskId) {
        return database.read(handle -> stores.tasks()
                .find(handle, taskId)
                .map(task -> stores.sessions().ofTask(handle, taskId)));
    }
}
