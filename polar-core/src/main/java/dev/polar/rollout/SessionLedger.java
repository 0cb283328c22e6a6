package dev.polar.rollout;

import dev.polar.rollout.Database.Change;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.TaskRequest;
import dev.polar.spi.TaskState;
import dev.polar.wire.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How samples come to their one result, and tasks to their end. Each change is made under its task's lock. Thread-safe. */
final class SessionLedger {
    /** What becomes of a result that comes in. */
    enum Verdict {
        ACCEPTED,
        /** Of an attempt that does not count any more, or that nobody knows. */
        IGNORED
    }

    /** The settings that matter here. */
    record Rules(int maxAttempts, double callbackGiveUpHours) {}

    /** Whom a change concerns besides the database. */
    record Others(
            Announcements announcements,
            Withdrawals withdrawals,
            Background background,
            Wakeups dispatcher,
            Wakeups outbox) {}

    private static final Logger LOG = LoggerFactory.getLogger(SessionLedger.class);

    static final String STOPPED_EARLY = "stopped early";

    private final Database database;
    private final Stores stores;
    private final ResultFiles files;
    private final Others others;
    private final Rules rules;
    private final DoubleSupplier now;

    /** @param now epoch seconds */
    SessionLedger(Database database, Stores stores, ResultFiles files, Others others, Rules rules, DoubleSupplier now) {
        this.database = database;
        this.stores = stores;
        this.files = files;
        this.others = others;
        this.rules = rules;
        this.now = now;
    }

    static String newSessionId() {
        return "sk-polar-" + UUID.randomUUID();
    }

    /**
     * A result from a node.
     *
     * @param received its file, which is moved to its place where it counts
     */
    Verdict result(Path received, ResultSummary result) {
        return database.change(change -> {
            var handle = change.handle();
            var task = stores.sessions()
                    .find(handle, result.sessionId())
                    .flatMap(known -> stores.tasks().lock(handle, known.taskId()));
            var session = stores.sessions().find(handle, result.sessionId());
            if (task.isEmpty() || session.isEmpty()) {
                return Verdict.IGNORED;
            }
            return switch (session.get().place()) {
                case FINISHED -> Verdict.ACCEPTED;
                case LOST, WITHDRAWN -> Verdict.IGNORED;
                case PENDING, SENDING, PLACED -> {
                    if (task.get().state() != TaskState.RUNNING) {
                        yield Verdict.IGNORED;
                    }
                    keep(change, task.get(), session.get(), received, result);
                    yield Verdict.ACCEPTED;
                }
            };
        });
    }

    private void keep(Change change, TaskRow task, SessionRow session, Path received, ResultSummary result) {
        try {
            var file = files.keep(received, task.taskId(), session.sessionId());
            settle(change, task, session, result, KeptResult.file(file));
        } catch (IOException refused) {
            LOG.error("task {} session {}: its result cannot be kept", task.taskId(), session.sessionId(), refused);
            endAsError(change, task, session, "the result could not be written: " + refused, Map.of());
        }
    }

    /** The session ends as ERROR, by our own word; nothing where it has ended already. */
    void fail(String sessionId, String error) {
        database.change(change -> {
            stores.sessions()
                    .find(change.handle(), sessionId)
                    .flatMap(known -> stores.tasks().lock(change.handle(), known.taskId()))
                    .filter(task -> task.state() == TaskState.RUNNING)
                    .ifPresent(task -> stores.sessions()
                            .find(change.handle(), sessionId)
                            .filter(session -> session.place() == Place.PENDING
                                    || session.place().out())
                            .ifPresent(session -> endAsError(change, task, session, error, Map.of())));
            return null;
        });
    }

    /** No result is expected from this attempt any more: the sample gets a new one, or ends as ERROR after the last. Nothing where the attempt is no longer out. */
    void lost(SessionRow attempt, String why) {
        database.change(change -> {
            var handle = change.handle();
            var task = stores.tasks().lock(handle, attempt.taskId());
            if (task.isEmpty() || !stores.sessions().lose(handle, attempt.sessionId(), why, now.getAsDouble())) {
                return null;
            }
            LOG.warn(
                    "task {} session {} on node {} is lost: {}",
                    attempt.taskId(),
                    attempt.sessionId(),
                    attempt.nodeId(),
                    why);
            if (attempt.nodeId() != null) {
                change.afterwards(() -> others.withdrawals().withdraw(attempt.sessionId(), attempt.nodeId()));
            }
            if (task.get().state() == TaskState.RUNNING) {
                if (attempt.attempt() < rules.maxAttempts()) {
                    stores.sessions()
                            .insert(
                                    handle,
                                    newSessionId(),
                                    task.get(),
                                    attempt.sample(),
                                    attempt.attempt() + 1,
                                    now.getAsDouble());
                    change.afterwards(others.dispatcher()::ring);
                } else {
                    endAsError(
                            change,
                            task.get(),
                            attempt,
                            "lost after " + attempt.attempt() + " attempts: " + why,
                            Map.of());
                }
            }
            return null;
        });
    }

    /** The server cannot run the task. */
    void failTask(String taskId, String why) {
        database.change(change -> {
            stores.tasks()
                    .lock(change.handle(), taskId)
                    .filter(task -> task.state() == TaskState.RUNNING)
                    .ifPresent(task -> {
                        LOG.error("task {} fails: {}", taskId, why);
                        for (var session : stores.sessions().open(change.handle(), taskId)) {
                            stores.sessions().withdraw(change.handle(), session.sessionId(), now.getAsDouble());
                            withdrawAtNode(change, session);
                        }
                        end(change, task, TaskState.FAILED);
                    });
            return null;
        });
    }

    private void endAsError(Change change, TaskRow task, SessionRow session, String error, Map<String, Object> extra) {
        settle(
                change,
                task,
                session,
                ResultSummary.failed(session.sessionId(), task.taskId(), error),
                ownResult(task, session, error, extra));
    }

    private KeptResult ownResult(TaskRow task, SessionRow session, String error, Map<String, Object> extra) {
        var json = NeverRan.json(task, session, error, extra);
        if (files.published()) {
            try {
                var received = files.receive(
                        new java.io.ByteArrayInputStream(json.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
                return KeptResult.file(files.keep(received, task.taskId(), session.sessionId()));
            } catch (IOException refused) {
                LOG.warn(
                        "task {} session {}: no result file: {}",
                        task.taskId(),
                        session.sessionId(),
                        refused.toString());
            }
        }
        return KeptResult.inline(json);
    }

    private void settle(Change change, TaskRow task, SessionRow session, ResultSummary result, KeptResult kept) {
        record(change, task, session, result, kept);
        var progress = stores.sessions().progress(change.handle(), task.taskId());
        if (task.earlyStop() != null
                && progress.usable() >= task.earlyStop()
                && progress.finished() < task.numSamples()) {
            stopEarly(change, task);
            progress = stores.sessions().progress(change.handle(), task.taskId());
        }
        if (progress.finished() == task.numSamples()) {
            end(change, task, TaskState.COMPLETED);
        } else {
            int finished = progress.finished();
            stores.tasks().touch(change.handle(), task.taskId(), now.getAsDouble());
            change.afterwards(() -> others.announcements().taskUpdated(task, task.state(), finished));
        }
        change.afterwards(others.dispatcher()::ring);
    }

    private void record(Change change, TaskRow task, SessionRow session, ResultSummary result, KeptResult kept) {
        stores.sessions().finish(change.handle(), session.sessionId(), result, kept, now.getAsDouble());
        SessionStatus status = result.status();
        change.afterwards(() -> others.announcements().sessionChanged(session, session.nodeId(), status));
    }

    private void stopEarly(Change change, TaskRow task) {
        for (var session : stores.sessions().open(change.handle(), task.taskId())) {
            var kept = ownResult(task, session, STOPPED_EARLY, Map.of("early_stop_cancelled", true));
            record(
                    change,
                    task,
                    session,
                    ResultSummary.failed(session.sessionId(), task.taskId(), STOPPED_EARLY),
                    kept);
            withdrawAtNode(change, session);
        }
    }

    private void withdrawAtNode(Change change, SessionRow session) {
        if (session.place().out()) {
            change.afterwards(() -> others.withdrawals().withdraw(session.sessionId(), session.nodeId()));
        }
    }

    /** The task is terminal: its callback is owed from the same moment. */
    private void end(Change change, TaskRow task, TaskState state) {
        double time = now.getAsDouble();
        stores.tasks().change(change.handle(), task.taskId(), state, time);
        if (task.callbackUrl() != null) {
            stores.outbox()
                    .add(
                            change.handle(),
                            task.taskId(),
                            task.callbackUrl(),
                            time,
                            time + rules.callbackGiveUpHours() * 3600);
            change.afterwards(others.outbox()::ring);
        }
        int finished =
                stores.sessions().progress(change.handle(), task.taskId()).finished();
        change.afterwards(() -> others.announcements().taskCompleted(task, state, finished));
    }

    static TaskRequest request(TaskRow task) {
        try {
            return Json.MAPPER.readValue(task.request(), TaskRequest.class);
        } catch (IOException unreadable) {
            throw new IllegalStateException(
                    "the stored request of task " + task.taskId() + " cannot be read", unreadable);
        }
    }
}
