package dev.polar.export;

import dev.polar.result.SessionTrace;
import java.util.Map;

/** The first columns of a row: whose it is, how it went. */
final class Place {
    private Place() {}

    static void put(Map<String, Object> row, SessionTrace of) {
        row.put("task_id", of.session().taskId());
        row.put("session_id", of.session().sessionId());
        row.put("trace", of.index());
        row.put("role", of.role());
        row.put("agent", of.agent());
        row.put("status", of.session().status());
        row.put("reward", of.trace().reward());
    }
}
