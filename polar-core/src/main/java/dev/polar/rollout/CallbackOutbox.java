package dev.polar.rollout;

import dev.polar.rollout.OutboxStore.Owed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Delivers task results to trainers, as long as it takes. What is owed stands in the database; here are only the tries. Thread-safe. */
final class CallbackOutbox {
    private static final Logger LOG = LoggerFactory.getLogger(CallbackOutbox.class);
    private static final int BATCH = 64;
    private static final int MOST_REFUSALS = 3;
    private static final double SHORTEST_WAIT_SECONDS = 1;
    private static final double LONGEST_WAIT_SECONDS = 60;
    /** Longer than a try can be silent: after that, another server may try. */
    private static final double CLAIM_SECONDS = 600;

    private final Database database;
    private final Stores stores;
    private final TaskDocuments documents;
    private final HttpCalls http;
    private final Background background;
    private final CallbackHosts hosts;
    private final String owner;
    private final DoubleSupplier now;
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();
    private final Wakeups wakeups;

    /**
     * @param owner this server, among those that share the database
     * @param now epoch seconds
     */
    CallbackOutbox(
            Database database,
            Stores stores,
            TaskDocuments documents,
            HttpCalls http,
            Background background,
            CallbackHosts hosts,
            Wakeups wakeups,
            String owner,
            DoubleSupplier now) {
        this.database = database;
        this.stores = stores;
        this.documents = documents;
        this.http = http;
        this.background = background;
        this.hosts = hosts;
        this.wakeups = wakeups;
        this.owner = owner;
        this.now = now;
    }

    /** After a restart nobody is under way: what an earlier process was sending is sent again. */
    void resume() {
        database.change(change -> {
            stores.outbox().release(change.handle(), owner, now.getAsDouble());
            return null;
        });
    }

    /** Tries what is due, in the background. */
    void deliver() {
        double time = now.getAsDouble();
        for (var owed : database.read(handle -> stores.outbox().due(handle, time, BATCH))) {
            if (underWay.add(owed.taskId())) {
                if (database.change(
                        change -> stores.outbox().claim(change.handle(), owed, owner, time + CLAIM_SECONDS))) {
                    background.start("callback-" + owed.taskId(), () -> deliver(owed));
                } else {
                    underWay.remove(owed.taskId());
                }
            }
        }
    }

    /** How long until something is due, at most {@code most}; in seconds. */
    double untilNext(double most) {
        return database.read(stores.outbox()::nextAt)
                .map(next -> Math.clamp(next - now.getAsDouble(), 0.05, most))
                .orElse(most);
    }

    private void deliver(Owed owed) {
        try {
            if (!hosts.allows(owed.url())) {
                end(owed, "its host is not allowed (rollout.callback_allow: " + hosts + ")");
                return;
            }
            var document = documents.callback(owed.taskId());
            if (document.isPresent()) {
                judge(owed, http.callback(owed.url(), owed.taskId(), document.get()));
            }
        } catch (IOException | UncheckedIOException unreachable) {
            retry(owed, owed.refusals(), unreachable.toString());
        } catch (RuntimeException broken) {
            LOG.error("the callback of task {} failed", owed.taskId(), broken);
            retry(owed, owed.refusals(), broken.toString());
        } finally {
            underWay.remove(owed.taskId());
            wakeups.ring();
        }
    }

    private void judge(Owed owed, HttpCalls.Answer answer) {
        int status = answer.status();
        if (answer.ok()) {
            database.change(change -> {
                stores.outbox().end(change.handle(), owed.taskId(), true, null);
                return null;
            });
        } else if (status == 408 || status == 425 || status == 429 || status >= 500) {
            retry(owed, owed.refusals(), "HTTP " + status);
        } else if (owed.refusals() + 1 < MOST_REFUSALS) {
            retry(owed, owed.refusals() + 1, "HTTP " + status);
        } else {
            end(owed, "it was answered with HTTP " + status + " " + MOST_REFUSALS + " times");
        }
    }

    private void retry(Owed owed, int refusals, String error) {
        double time = now.getAsDouble();
        if (time >= owed.giveUpAt()) {
            end(owed, "it was tried until its time was up; the last try: " + error);
            return;
        }
        double wait = Math.min(LONGEST_WAIT_SECONDS, SHORTEST_WAIT_SECONDS * (1L << Math.min(20, owed.tries())));
        LOG.debug("the callback of task {} is tried again in {} s: {}", owed.taskId(), wait, error);
        database.change(change -> {
            stores.outbox()
                    .retry(change.handle(), owed.taskId(), refusals, error, Math.min(time + wait, owed.giveUpAt()));
            return null;
        });
    }

    private void end(Owed owed, String why) {
        LOG.error(
                "the callback of task {} to {} is given up: {}",
                owed.taskId(),
                java.net.URI.create(owed.url()).getHost(),
                why);
        database.change(change -> {
            stores.outbox().end(change.handle(), owed.taskId(), false, why);
            return null;
        });
    }
}
