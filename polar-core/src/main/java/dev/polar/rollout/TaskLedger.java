package dev.polar.rollout;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.polar.rollout.Database.Change;
import dev.polar.server.ProblemException;
import dev.polar.spi.TaskRequest;
import dev.polar.spi.TaskState;
import dev.polar.wire.Json;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import org.jdbi.v3.core.JdbiException;

/** How tasks come and are cancelled. Thread-safe. */
final class TaskLedger {
    private static final double TOMBSTONE_SECONDS = 300;
    private static final int MOST_SAMPLES = 100_000;

    private final Database database;
    private final Stores stores;
    private final ResultFiles files;
    private final SessionLedger.Others others;
    private final DoubleSupplier now;

    /** @param now epoch seconds */
    TaskLedger(Database database, Stores stores, ResultFiles files, SessionLedger.Others others, DoubleSupplier now) {
        this.database = database;
        this.stores = stores;
        this.files = files;
        this.others = others;
        this.now = now;
    }

    /**
     * Takes a task; when this returns it survives a crash.
     *
     * @throws ProblemException 409 where its id is taken, 422 where it asks for more samples than are fanned out
     */
    void submit(TaskRequest request) {
        if (request.numSamples() > MOST_SAMPLES) {
            throw new ProblemException(
                    422,
                    "num_samples: " + request.numSamples() + " is more than the " + MOST_SAMPLES
                            + " that one task may have: submit several tasks");
        }
        var task = row(request);
        try {
            database.change(change -> {
                insert(change, task);
                return null;
            });
        } catch (JdbiException refused) {
            if (Database.isDuplicate(refused)) {
                throw taken(request.taskId(), TaskState.RUNNING);
            }
            throw refused;
        }
    }

    private void insert(Change change, TaskRow task) {
        var handle = change.handle();
        if (stores.tasks().buried(handle, task.taskId(), now.getAsDouble())) {
            throw new ProblemException(
                    409,
                    "task_id: task '" + task.taskId()
                            + "' was cancelled before it was submitted: submit it under another id");
        }
        stores.tasks().lock(handle, task.taskId()).ifPresent(old -> {
            if (!old.state().terminal()) {
                throw taken(old.taskId(), old.state());
            }
            for (var session : stores.sessions().ofTask(handle, old.taskId())) {
                change.afterwards(() -> files.forget(session.resultPath()));
            }
            stores.tasks().delete(handle, old.taskId());
        });
        stores.tasks().insert(handle, task);
        for (int sample = 0; sample < task.numSamples(); sample++) {
            stores.sessions().insert(handle, SessionLedger.newSessionId(), task, sample, 1, task.createdAt());
        }
        change.afterwards(() -> others.announcements().taskCreated(task));
        change.afterwards(others.dispatcher()::ring);
    }

    private static ProblemException taken(String taskId, TaskState state) {
        return new ProblemException(
                409,
                "task_id: task '" + taskId + "' is " + state.wire() + ": wait for it, cancel it, or use another id");
    }

    private TaskRow row(TaskRequest request) {
        double time = now.getAsDouble();
        try {
            return new TaskRow(
                    request.taskId(),
                    TaskState.RUNNING,
                    request.agent().name(),
                    request.agent().modelName(),
                    request.numSamples(),
                    request.dispatchPriority(),
                    request.earlyStopMinUsableSessions(),
                    request.timeoutSeconds(),
                    request.callbackUrl(),
                    request.metadata().get("source") instanceof String source ? source : "submit",
                    Json.MAPPER.writeValueAsString(request),
                    time,
                    time,
                    null);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * Cancels a task; its sessions are ended in the background.
     *
     * @param registerIfMissing an unknown id is refused when it is submitted soon
     * @return the state it is in now; empty where there is no such task and none was registered
     */
    Optional<TaskState> cancel(String taskId, boolean registerIfMissing) {
        return database.change(change -> {
            var task = stores.tasks().lock(change.handle(), taskId);
            if (task.isEmpty()) {
                if (registerIfMissing) {
                    stores.tasks()
                            .bury(
                                    change.handle(),
                                    TaskRequest.checkId("task_id", taskId),
                                    now.getAsDouble() + TOMBSTONE_SECONDS);
                    return Optional.of(TaskState.CANCELLED);
                }
                return Optional.empty();
            }
            return Optional.of(
                    task.get().state() == TaskState.RUNNING
                            ? cancel(change, task.get())
                            : task.get().state());
        });
    }

    private TaskState cancel(Change change, TaskRow task) {
        double time = now.getAsDouble();
        for (var session : stores.sessions().open(change.handle(), task.taskId())) {
            stores.sessions().withdraw(change.handle(), session.sessionId(), time);
        }
        stores.tasks().change(change.handle(), task.taskId(), TaskState.CANCELLING, time);
        int finished =
                stores.sessions().progress(change.handle(), task.taskId()).finished();
        change.afterwards(() -> others.announcements().taskUpdated(task, TaskState.CANCELLING, finished));
        change.afterwards(() -> endCancelled(task));
        return TaskState.CANCELLING;
    }

    /** Ends a cancelled task's sessions at their nodes, then the task; in the background. Also called for those that an earlier process left in between. */
    void endCancelled(TaskRow task) {
        others.background().start("cancel-" + task.taskId(), () -> {
            try {
                endAtNodes(task);
                cancelled(task);
            } catch (InterruptedException fromOutside) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void endAtNodes(TaskRow task) throws InterruptedException {
        var threads = database.read(handle -> stores.sessions().withdrawn(handle, task.taskId())).stream()
                .map(session -> Thread.ofVirtual().start(() -> withdraw(session)))
                .toList();
        for (var thread : threads) {
            thread.join();
        }
    }

    private void withdraw(SessionRow session) {
        try {
            others.withdrawals().withdrawNow(session.sessionId(), session.nodeId());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void cancelled(TaskRow task) {
        database.change(change -> {
            var state = stores.tasks().lock(change.handle(), task.taskId()).map(TaskRow::state);
            if (state.filter(TaskState.CANCELLING::equals).isPresent()) {
                stores.tasks().change(change.handle(), task.taskId(), TaskState.CANCELLED, now.getAsDouble());
                int finished = stores.sessions()
                        .progress(change.handle(), task.taskId())
                        .finished();
                change.afterwards(() -> others.announcements().taskCompleted(task, TaskState.CANCELLED, finished));
            }
            return null;
        });
    }
}
