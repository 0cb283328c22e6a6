package dev.polar.rollout;

import dev.polar.topology.RolloutConfig;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells nodes to end sessions whose results do not count any more. Thread-safe. */
final class Withdrawals {
    private static final Logger LOG = LoggerFactory.getLogger(Withdrawals.class);

    private final Database database;
    private final Stores stores;
    private final HttpCalls http;
    private final Background background;
    private final Semaphore slots;
    private final int attempts;
    private final long backoffMillis;

    Withdrawals(Database database, Stores stores, HttpCalls http, Background background, RolloutConfig config) {
        this.database = database;
        this.stores = stores;
        this.http = http;
        this.background = background;
        this.slots = new Semaphore(config.cleanupMaxConcurrency());
        this.attempts = config.cleanupMaxAttempts();
        this.backoffMillis = Math.round(config.cleanupRetryBackoffSeconds() * 1000);
    }

    /** In the background. */
    void withdraw(String sessionId, String nodeId) {
        background.start("withdraw-" + sessionId, () -> {
            try {
                withdrawNow(sessionId, nodeId);
            } catch (InterruptedException fromOutside) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Returns when the node has acknowledged it, does not know it, or was asked often enough. */
    void withdrawNow(String sessionId, String nodeId) throws InterruptedException {
        var node = database.read(handle -> stores.nodes().find(handle, nodeId));
        if (node.isEmpty()) {
            return;
        }
        var url = node.get().gatewayUrl() + "/sessions/" + HttpCalls.segment(sessionId);
        slots.acquire();
        try {
            String problem = null;
            for (int attempt = 1; attempt <= attempts; attempt++) {
                if (attempt > 1) {
                    Thread.sleep(backoffMillis);
                }
                try {
                    var answer = http.delete(url);
                    if (answer.ok() || answer.status() == 404) {
                        return;
                    }
                    problem = answer.detail();
                } catch (IOException unreachable) {
                    problem = unreachable.toString();
                }
            }
            LOG.warn("session {} could not be withdrawn from node {}: {}", sessionId, nodeId, problem);
        } finally {
            slots.release();
        }
    }
}
