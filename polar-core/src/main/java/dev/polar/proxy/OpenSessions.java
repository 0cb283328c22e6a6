package dev.polar.proxy;

/** Makes bare sessions for callers that no key places, where the node lets them in. Thread-safe. */
@FunctionalInterface
public interface OpenSessions {
    /**
     * A session for a caller, open: one for each key, and one for each call that brings none.
     *
     * @param key what the caller presented, or null
     */
    AgentSession open(String key);
}
