package dev.polar.proxy;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The sessions that agents may call, by key. Thread-safe. */
@ApplicationScoped
public class SessionDirectory {
    private final ConcurrentHashMap<String, AgentSession> byKey = new ConcurrentHashMap<>();

    /** From now on {@code key} (a secret; a bare session's id) finds the session. */
    public void add(String key, AgentSession session) {
        byKey.put(key, session);
    }

    public void remove(String key) {
        byKey.remove(key);
    }

    /** The session that a key opens. */
    public Optional<AgentSession> byKey(String key) {
        return key == null ? Optional.empty() : Optional.ofNullable(byKey.get(key));
    }

    /** A bare session by its id, which is all that a header or query can select. */
    public Optional<AgentSession> bare(String sessionId) {
        return byKey(sessionId).filter(AgentSession::bare);
    }
}
