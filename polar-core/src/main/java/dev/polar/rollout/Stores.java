package dev.polar.rollout;

/** The tables. */
record Stores(TaskStore tasks, SessionStore sessions, NodeStore nodes, OutboxStore outbox) {
    Stores() {
        this(new TaskStore(), new SessionStore(), new NodeStore(), new OutboxStore());
    }
}
