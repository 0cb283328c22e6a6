package dev.polar.proxy;

import java.util.Optional;

/** Finds the session that a call belongs to. Thread-safe. */
final class SessionLookup {
    private static final String BEARER = "Bearer ";

    private final SessionDirectory directory;
    private final OpenSessions openSessions;

    /** @param openSessions makes sessions for strangers; null where only keys open */
    SessionLookup(SessionDirectory directory, OpenSessions openSessions) {
        this.directory = directory;
        this.openSessions = openSessions;
    }

    /**
     * By the path's token, else by the key; a session's id in a header or the query selects a bare session only, and is ignored otherwise.
     *
     * @param token of {@code /s/{token}/}, or null
     * @throws RefusedException 401 where nothing matches
     */
    AgentSession find(ProxyExchange exchange, String token) {
        if (token != null) {
            return directory.byKey(token).orElseThrow(SessionLookup::unknown);
        }
        var key = key(exchange);
        return directory
                .byKey(key)
                .or(() -> bare(exchange.header("x-session-id")))
                .or(() -> bare(exchange.header("proxy-x-session-id")))
                .or(() -> bare(exchange.query("session_id")))
                .or(() -> stranger(key))
                .orElseThrow(SessionLookup::unknown);
    }

    private Optional<AgentSession> bare(String sessionId) {
        return sessionId == null ? Optional.empty() : directory.bare(sessionId);
    }

    private Optional<AgentSession> stranger(String key) {
        return openSessions == null ? Optional.empty() : Optional.of(openSessions.open(key));
    }

    private static String key(ProxyExchange exchange) {
        var authorization = exchange.header("authorization");
        if (authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return authorization.substring(BEARER.length()).strip();
        }
        var key = exchange.header("x-api-key");
        if (key == null) {
            key = exchange.header("x-goog-api-key");
        }
        return key == null ? exchange.query("key") : key;
    }

    private static RefusedException unknown() {
        return new RefusedException(
                Fault.of(401, "no running session has this key: use the key in the session's environment"));
    }
}
