package dev.polar.rollout;

import dev.polar.events.EventChannel;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.TaskState;
import java.util.LinkedHashMap;
import java.util.Map;

/** The rollout server's events. Thread-safe. */
final class Announcements {
    private final EventChannel channel;

    Announcements(EventChannel channel) {
        this.channel = channel;
    }

    void taskCreated(TaskRow task) {
        channel.publish("task.created", task(task, task.state(), 0));
    }

    void taskUpdated(TaskRow task, TaskState state, int finished) {
        channel.publish("task.updated", task(task, state, finished));
    }

    /** It is terminal. */
    void taskCompleted(TaskRow task, TaskState state, int finished) {
        channel.publish("task.completed", task(task, state, finished));
    }

    void sessionChanged(SessionRow session, String nodeId, SessionStatus status) {
        var data = new LinkedHashMap<String, Object>();
        data.put("session_id", session.sessionId());
        data.put("task_id", session.taskId());
        data.put("node_id", nodeId);
        data.put("sample", session.sample());
        data.put("attempt", session.attempt());
        data.put("status", status);
        channel.publish("session.state_changed", data);
    }

    private static Map<String, Object> task(TaskRow task, TaskState state, int finished) {
        var data = new LinkedHashMap<String, Object>();
        data.put("task_id", task.taskId());
        data.put("status", state);
        data.put("harness", task.harness());
        data.put("total_sessions", task.numSamples());
        data.put("completed_sessions", finished);
        return data;
    }
}
